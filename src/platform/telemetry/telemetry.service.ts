import { createHash, timingSafeEqual } from 'node:crypto';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { addMetricSink, type SampleSource } from './metrics.js';
import type { StartedOpenTelemetry } from './open-telemetry.js';
import { ProcessSamples } from './process-samples.js';
import { useSpanSink } from './spans.js';

/** Metrics and traces of this application, if the settings ask for them. Without, nothing of them is loaded or counted. */
export class Telemetry implements OnApplicationShutdown {
  private readonly sources = new Set<SampleSource>();
  private readonly stops: (() => void)[] = [];
  private started: StartedOpenTelemetry | undefined;

  private constructor(private readonly metricsToken: string | undefined) {}

  static async start(
    { metricsToken, otlpEndpoint }: Pick<Config, 'metricsToken' | 'otlpEndpoint'>,
    instanceId: string,
  ): Promise<Telemetry> {
    const telemetry = new Telemetry(metricsToken);
    if (metricsToken !== undefined || otlpEndpoint !== undefined)
      await telemetry.load({ prometheus: metricsToken !== undefined, otlpEndpoint, instanceId });
    return telemetry;
  }

  /** Adds values that are read at each collection. */
  addSource(source: SampleSource): void {
    this.sources.add(source);
  }

  /** Whether the holder of this header may read the metrics. */
  prometheusAccess(authorization: string | undefined): 'off' | 'refused' | 'allowed' {
    if (this.metricsToken === undefined) return 'off';
    // Of hashes, because the comparison needs values of one length.
    const isRight = timingSafeEqual(sha256(authorization ?? ''), sha256(`Bearer ${this.metricsToken}`));
    return isRight ? 'allowed' : 'refused';
  }

  /** The metrics as Prometheus reads them; empty if that is off. */
  async prometheusText(): Promise<string> {
    return (await this.started?.prometheusText?.()) ?? '';
  }

  async onApplicationShutdown(): Promise<void> {
    for (const stop of this.stops) stop();
    await this.started?.stop();
  }

  private async load(options: {
    prometheus: boolean;
    otlpEndpoint: string | undefined;
    instanceId: string;
  }): Promise<void> {
    const { startOpenTelemetry } = await import('./open-telemetry.js');
    const logger = new Logger('Telemetry');
    const started = startOpenTelemetry({
      ...options,
      sources: () => this.sources,
      warn: (text) => logger.warn(text),
    });
    const samples = new ProcessSamples();
    this.started = started;
    this.sources.add(samples.read);
    this.stops.push(addMetricSink(started.metrics), () => samples.stop());
    if (started.spans !== undefined) this.stops.push(useSpanSink(started.spans));
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
