import {
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { hrTime, parseTraceParent } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { type IMetricReader, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { VERSION } from '../config/version.js';
import type { SampleSource } from './metrics.js';
import { OpenTelemetryMetrics } from './open-telemetry-metrics.js';
import type { SpanSink, SpanStart } from './spans.js';
import type { ActiveSpan, SpanAttributes } from './work-context.js';
import { withZeroSeries } from './zero-series.js';

/** What to start. The official packages are loaded with this file only, so that it is imported when something is on. */
export interface OpenTelemetryOptions {
  readonly prometheus: boolean;
  /** The address of a collector, without the path of a signal. */
  readonly otlpEndpoint: string | undefined;
  readonly instanceId: string;
  readonly sources: () => Iterable<SampleSource>;
  /** Called when an export fails, with a text that may quote the collector. */
  readonly warn: (text: string) => void;
}

export interface StartedOpenTelemetry {
  readonly metrics: OpenTelemetryMetrics;
  readonly spans: SpanSink | undefined;
  /** The metrics as Prometheus reads them; undefined without a reader for it. */
  readonly prometheusText: (() => Promise<string>) | undefined;
  /** Sends what is left, and stops. */
  stop(): Promise<void>;
}

export function startOpenTelemetry(options: OpenTelemetryOptions): StartedOpenTelemetry {
  // Without it, the packages say nothing about exports that fail. Their errors are logged, debugging output is not.
  const ignore = () => undefined;
  const warn = (text: string) => options.warn(text);
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const resource = defaultResource().merge(
    resourceFromAttributes({
      'service.name': 'guildbook',
      'service.version': VERSION,
      'service.instance.id': options.instanceId,
    }),
  );
  const url = (signal: string) => `${(options.otlpEndpoint ?? '').replace(/\/+$/, '')}/v1/${signal}`;
  const prometheus = options.prometheus ? new PrometheusExporter({ preventServerStart: true }) : undefined;
  const readers: IMetricReader[] = prometheus === undefined ? [] : [prometheus];
  if (options.otlpEndpoint !== undefined)
    readers.push(new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter({ url: url('metrics') }) }));
  const meters = new MeterProvider({ resource, readers });
  const metrics = new OpenTelemetryMetrics(meters.getMeter('guildbook', VERSION), options.sources);
  const tracers =
    options.otlpEndpoint === undefined
      ? undefined
      : new TracerProvider({
          resource,
          spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: url('traces') }) })],
        });
  return {
    metrics,
    spans: tracers === undefined ? undefined : spanSink(tracers),
    prometheusText: prometheus && (() => serialised(prometheus)),
    stop: async () => {
      await Promise.allSettled([meters.shutdown(), tracers?.shutdown()]);
    },
  };
}

async function serialised(exporter: PrometheusExporter): Promise<string> {
  const { resourceMetrics } = await exporter.collect();
  // Without the labels of the SDK: its scope is the same everywhere, and guildbook_info names the version.
  return new PrometheusSerializer('', false, undefined, true, true).serialize(
    withZeroSeries(resourceMetrics, hrTime()),
  );
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

function spanSink(provider: TracerProvider): SpanSink {
  const tracer = provider.getTracer('guildbook', VERSION);
  return {
    start: (name: string, { kind, attributes, parent, traceparent }: SpanStart): ActiveSpan => {
      const remote = traceparent === undefined ? undefined : (parseTraceParent(traceparent) ?? undefined);
      const context = parent instanceof OpenTelemetrySpan ? parent.span.spanContext() : remote;
      const spanContext =
        context === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { ...context, isRemote: context === remote });
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: bounded(attributes) }, spanContext);
      return new OpenTelemetrySpan(span);
    },
  };
}

class OpenTelemetrySpan implements ActiveSpan {
  constructor(readonly span: Span) {}

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(bounded(attributes));
  }

  fail(code: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.set({ 'error.type': code });
  }

  end(): void {
    this.span.end();
  }
}

/** Forms of ids, codes and patterns of routes. A sentence, and with it a text from outside, has none of them. */
const ATTRIBUTE = /^[\w.:/*{}-]{1,120}$/;

const bounded = (attributes: SpanAttributes): SpanAttributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' && !ATTRIBUTE.test(value) ? 'other' : value,
    ]),
  );
