import { createHash, timingSafeEqual } from 'node:crypto';
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { SECOND_MS } from '../base/durations.js';
import type { Config } from '../config/config.js';
import { addMetricSink, type Sample, type SampleSource, sample } from './metrics.js';
import type { StartedOpenTelemetry } from './open-telemetry.js';
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

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
const RESOLUTION_MS = 10;

/** Memory, processor and event loop of this process. */
class ProcessSamples {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private last: EventLoopUtilization = performance.eventLoopUtilization();

  constructor() {
    this.delay.enable();
  }

  readonly read: SampleSource = (): Sample[] => {
    const heap = getHeapStatistics();
    const { user, system } = process.cpuUsage();
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.last);
    this.last = now;
    const delays = [
      sample('nodejs_eventloop_delay_seconds', this.delayOf(this.delay.percentile(50)), { statistic: 'p50' }),
      sample('nodejs_eventloop_delay_seconds', this.delayOf(this.delay.percentile(99)), { statistic: 'p99' }),
      sample('nodejs_eventloop_delay_seconds', this.delayOf(this.delay.max), { statistic: 'max' }),
    ];
    this.delay.reset();
    return [
      sample('process_start_time_seconds', performance.timeOrigin / SECOND_MS, {}),
      sample('process_cpu_seconds_total', (user + system) / MICROSECONDS, {}),
      sample('process_resident_memory_bytes', process.memoryUsage.rss(), {}),
      sample('nodejs_heap_used_bytes', heap.used_heap_size, {}),
      sample('nodejs_heap_limit_bytes', heap.heap_size_limit, {}),
      sample('nodejs_eventloop_utilization_ratio', utilization, {}),
      ...delays,
    ];
  };

  stop(): void {
    this.delay.disable();
  }

  /** The measured intervals include the resolution of the timer. Without a measurement since the last reset, 0. */
  private delayOf(nanoseconds: number): number {
    if (this.delay.count === 0) return 0;
    return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / SECOND_MS);
  }
}
