import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { METRIC_DEFINITIONS, type MetricDefinition } from './metric-definitions.js';

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
