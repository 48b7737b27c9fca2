import type { CounterName, GaugeName, HistogramName, Labels } from './metric-definitions.js';

export type LabelValues = Readonly<Record<string, string>>;

/** Where counts go while metrics are on. */
export interface MetricSink {
  add(name: CounterName, value: number, labels: LabelValues): void;
  record(name: HistogramName, value: number, labels: LabelValues): void;
}

/** One value of a gauge, or of a counter that something else counts. */
export interface Sample {
  readonly name: GaugeName | CounterName;
  readonly value: number;
  readonly labels: LabelValues;
}
export type SampleSource = () => Promise<readonly Sample[]> | readonly Sample[];

/** One for each running application: they share the process, and its counts. */
const sinks = new Set<MetricSink>();

/** Sends counts to `sink` until the returned function is called. */
export function addMetricSink(sink: MetricSink): () => void {
  sinks.add(sink);
  return () => sinks.delete(sink);
}

/** False while metrics are off: work that only serves a metric is then left out. */
export const areMetricsOn = (): boolean => sinks.size > 0;

/** Adds to a counter. Costs a loop over nothing while metrics are off. */
export function count<N extends CounterName>(name: N, labels: Labels<N>, by = 1): void {
  if (by > 0) for (const sink of sinks) sink.add(name, by, labels);
}

/** Records a value in a histogram. */
export function measure<N extends HistogramName>(name: N, value: number, labels: Labels<N>): void {
  for (const sink of sinks) sink.record(name, value, labels);
}

/** A value of a gauge, for a source. */
export const sample = <N extends GaugeName | CounterName>(name: N, value: number, labels: Labels<N>): Sample => ({
  name,
  value,
  labels,
});

/** The longest pattern of a route is shorter. */
const LABEL = /^[\w .:/*{}-]{1,120}$/;

/** A value that the program did not write itself would be a text from outside: it is not shown. */
export const boundedLabel = (value: string): string => (LABEL.test(value) ? value : 'other');
