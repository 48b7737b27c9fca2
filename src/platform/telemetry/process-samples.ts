import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { SECOND_MS } from '../base/durations.js';
import { type Sample, type SampleSource, sample } from './metrics.js';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
const RESOLUTION_MS = 10;

/** Memory, processor and event loop of this process. */
export class ProcessSamples {
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
