import type { Counter, Histogram, Meter, Observable } from '@opentelemetry/api';
import type { CounterName, HistogramName } from './metric-definitions.js';
import { METRIC_DEFINITIONS } from './metric-definitions.js';
import { boundedLabel, type LabelValues, type MetricSink, type SampleSource } from './metrics.js';

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
          if (observable !== undefined) result.observe(observable, value, bounded(labels));
        }
      },
      [...this.observables.values()],
    );
  }

  add(name: CounterName, value: number, labels: LabelValues): void {
    this.counters.get(name)?.add(value, bounded(labels));
  }

  record(name: HistogramName, value: number, labels: LabelValues): void {
    this.histograms.get(name)?.record(value, bounded(labels));
  }
}

const bounded = (labels: LabelValues): LabelValues =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, boundedLabel(value)]));
