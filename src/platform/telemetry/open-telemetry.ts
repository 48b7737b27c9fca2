import {
  type Attributes,
  type Counter,
  DiagLogLevel,
  diag,
  type Histogram,
  type HrTime,
  type Meter,
  type Observable,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  ValueType,
} from '@opentelemetry/api';
import { hrTime, parseTraceParent } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type IMetricReader,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { VERSION } from '../config/version.js';
import {
  type CounterName,
  type HistogramName,
  METRIC_DEFINITIONS,
  type MetricDefinition,
} from './metric-definitions.js';
import { boundedLabel, type LabelValues, type MetricSink, type SampleSource } from './metrics.js';
import type { ActiveSpan, SpanAttributes, SpanSink, SpanStart } from './spans.js';

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

type Filled = Extract<MetricData, { dataPointType: DataPointType.SUM | DataPointType.HISTOGRAM }>;

/**
 * Adds a series with 0 for each known set of labels that nothing was counted for. A label whose values are not listed has
 * the values that occurred. Prometheus takes the first value of a series as its beginning, so without this the first
 * failure after a start would be in no rate.
 */
export function withZeroSeries(collected: ResourceMetrics, at: HrTime): ResourceMetrics {
  const [first, ...others] = collected.scopeMetrics;
  if (first === undefined) return collected;
  const known = new Map(first.metrics.map((metric) => [metric.descriptor.name, metric]));
  const filled = Object.entries(METRIC_DEFINITIONS).flatMap(([name, definition]): MetricData[] => {
    const metric = known.get(name);
    if (definition.kind === 'gauge' || definition.observed) return metric === undefined ? [] : [metric];
    const all = metric ?? emptyMetric(name, definition);
    const metricWithZeros = isFilled(all) ? withZeros(all, definition, at) : all;
    return metricWithZeros.dataPoints.length === 0 ? [] : [metricWithZeros];
  });
  return { ...collected, scopeMetrics: [{ ...first, metrics: filled }, ...others] };
}

const isFilled = (metric: MetricData): metric is Filled =>
  metric.dataPointType === DataPointType.SUM || metric.dataPointType === DataPointType.HISTOGRAM;

function withZeros(metric: Filled, definition: MetricDefinition, at: HrTime): MetricData {
  const has = new Set(metric.dataPoints.map(({ attributes }) => keyOf(attributes, definition.labels)));
  const points = labelSets(metric, definition)
    .filter((attributes) => !has.has(keyOf(attributes, definition.labels)))
    .map((attributes) => ({ startTime: at, endTime: at, attributes }));
  if (metric.dataPointType === DataPointType.SUM)
    return { ...metric, dataPoints: [...metric.dataPoints, ...points.map((point) => ({ ...point, value: 0 }))] };
  const boundaries = [...(definition.bounds ?? [])];
  const counts = Array.from({ length: boundaries.length + 1 }, () => 0);
  const value = { buckets: { boundaries, counts }, sum: 0, count: 0 };
  return { ...metric, dataPoints: [...metric.dataPoints, ...points.map((point) => ({ ...point, value }))] };
}

/** Every combination of the listed values, with each combination of the others that occurred. */
function labelSets(metric: Filled, { labels, values = {} }: MetricDefinition): Attributes[] {
  const open = labels.filter((label) => !(label in values));
  const occurred = new Map(
    metric.dataPoints.map(({ attributes }) => [
      keyOf(attributes, open),
      Object.fromEntries(open.map((label) => [label, attributes[label]])),
    ]),
  );
  const start: Attributes[] = open.length === 0 ? [{}] : [...occurred.values()];
  return Object.entries(values).reduce(
    (sets, [label, ones]) => sets.flatMap((set) => ones.map((value) => ({ ...set, [label]: value }))),
    start,
  );
}

const keyOf = (attributes: Attributes, labels: readonly string[]): string =>
  JSON.stringify(labels.map((label) => attributes[label]));

function emptyMetric(name: string, { kind, help }: MetricDefinition): Filled {
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE };
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  return kind === 'histogram'
    ? { descriptor, aggregationTemporality, dataPointType: DataPointType.HISTOGRAM, dataPoints: [] }
    : { descriptor, aggregationTemporality, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: [] };
}

/** The instruments of every metric. Those of gauges are read from the sources at each collection. */
export class OpenTelemetryMetrics implements MetricSink {
  private readonly counters = new Map<string, Counter>();
  private readonly histograms = new Map<string, Histogram>();
  private readonly observables = new Map<string, Observable>();

  constructor(
    meter: Meter,
    private readonly sources: () => Iterable<SampleSource>,
  ) {
    for (const [name, { kind, help, bounds, observed }] of Object.entries(METRIC_DEFINITIONS)) {
      const options = { description: help };
      if (kind === 'gauge') this.observables.set(name, meter.createObservableGauge(name, options));
      else if (observed) this.observables.set(name, meter.createObservableCounter(name, options));
      else if (kind === 'counter') this.counters.set(name, meter.createCounter(name, options));
      else
        this.histograms.set(
          name,
          meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: [...(bounds ?? [])] } }),
        );
    }
    meter.addBatchObservableCallback(
      async (result) => {
        // A source that fails, such as one that needs the database, must not hide the others.
        const read = await Promise.allSettled([...this.sources()].map(async (source) => source()));
        for (const { name, value, labels } of read.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))) {
          const observable = this.observables.get(name);
          if (observable !== undefined) result.observe(observable, value, boundedLabels(labels));
        }
      },
      [...this.observables.values()],
    );
  }

  add(name: CounterName, value: number, labels: LabelValues): void {
    this.counters.get(name)?.add(value, boundedLabels(labels));
  }

  record(name: HistogramName, value: number, labels: LabelValues): void {
    this.histograms.get(name)?.record(value, boundedLabels(labels));
  }
}

const boundedLabels = (labels: LabelValues): LabelValues =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, boundedLabel(value)]));
