import { describe, expect, it } from '@jest/globals';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { metricValue, samplesOf } from '../../../test/support/prometheus-text.js';
import { OpenTelemetryMetrics, withZeroSeries } from './open-telemetry.js';

/** The text of what `record` counted, with the series of 0. */
async function textOf(record: (metrics: OpenTelemetryMetrics) => void): Promise<string> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  // A gauge, because a process always has some.
  const metrics = new OpenTelemetryMetrics(provider.getMeter('test'), () => [
    () => [{ name: 'process_resident_memory_bytes', value: 7, labels: {} }],
  ]);
  record(metrics);
  const { resourceMetrics } = await exporter.collect();
  await provider.shutdown();
  return new PrometheusSerializer('', false, undefined, true, true).serialize(withZeroSeries(resourceMetrics, [1, 0]));
}

describe('series of which all labels are known', () => {
  it('begin with 0: counters, and histograms with all of their bounds', async () => {
    const text = await textOf(() => undefined);
    for (const result of ['completed', 'failed'])
      expect(metricValue(text, 'guildbook_cycles_total', { result })).toBe(0);
    expect(samplesOf(text).filter(({ name }) => name === 'guildbook_deliveries_total')).toHaveLength(8);
    expect(metricValue(text, 'guildbook_model_cost_dollars_total')).toBe(0);
    expect(metricValue(text, 'guildbook_cycle_duration_seconds_count')).toBe(0);
    expect(metricValue(text, 'guildbook_cycle_duration_seconds_sum')).toBe(0);
    const bounds = samplesOf(text).filter(({ name }) => name === 'guildbook_cycle_duration_seconds_bucket');
    expect(bounds.map(({ labels }) => labels['le'])).toEqual([
      ...['0.1', '0.5', '1', '2.5', '5', '10', '30', '60', '300', '900', '+Inf'],
    ]);
    expect(metricValue(text, 'process_resident_memory_bytes')).toBe(7);
  });

  it('keep what was counted, once', async () => {
    const text = await textOf((metrics) => {
      metrics.add('guildbook_cycles_total', 3, { result: 'failed' });
      metrics.record('guildbook_decision_age_seconds', 90, { decision: 'rejected' });
    });
    const cycles = samplesOf(text).filter(({ name }) => name === 'guildbook_cycles_total');
    expect(cycles.map(({ labels, value }) => [labels['result'], value])).toEqual([
      ['failed', 3],
      ['completed', 0],
    ]);
    expect(metricValue(text, 'guildbook_decision_age_seconds_sum', { decision: 'rejected' })).toBe(90);
    expect(metricValue(text, 'guildbook_decision_age_seconds_count', { decision: 'approved' })).toBe(0);
  });
});

describe('series with a label of which the values are not known', () => {
  it('begin with their first event', async () => {
    const text = await textOf(() => undefined);
    expect(metricValue(text, 'guildbook_http_requests_total')).toBeUndefined();
    expect(metricValue(text, 'guildbook_redactions_total')).toBeUndefined();
    expect(text).not.toContain('guildbook_work_runs_total');
  });

  it('have every known value of their other labels from then on', async () => {
    const text = await textOf((metrics) =>
      metrics.add('guildbook_work_runs_total', 1, { worker: 'W', result: 'done' }),
    );
    expect(metricValue(text, 'guildbook_work_runs_total', { worker: 'W', result: 'done' })).toBe(1);
    expect(metricValue(text, 'guildbook_work_runs_total', { worker: 'W', result: 'failed' })).toBe(0);
  });
});
