import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { VERDICTS } from '../../src/evidence/predicate/check.schema.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { METRIC_DEFINITIONS, METRICS } from '../../src/platform/telemetry/metric-definitions.js';
import { ARMS, MOMENTS } from '../../src/skills/delivery/delivery-tally.js';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

/** Made by Prometheus itself. */
const OWN_METRICS = ['up'];
/** Words of PromQL that stand where a metric could, without a parenthesis behind them. */
const KEYWORDS = [
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'and',
  'or',
  'unless',
  'offset',
  'bool',
];

/** The names of metrics in a query: identifiers that are no function, keyword, label or duration. */
function metricsIn(query: string): string[] {
  const bare = query
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/(?<![\w.])[a-zA-Z_:][\w:]*(?!\w)(?!\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !KEYWORDS.includes(name));
}

/** The metric of a series: of a histogram without the ending of the series. */
function definitionOf(series: string) {
  const histogram = METRIC_DEFINITIONS[series.replace(/_(?:bucket|sum|count)$/, '')];
  return histogram?.kind === 'histogram' && !(series in METRIC_DEFINITIONS) ? histogram : METRIC_DEFINITIONS[series];
}

/** What is wrong with a query; empty if each of its metrics and their labels exist. */
function problemsOf(query: string): string[] {
  const unknown = metricsIn(query).filter((name) => !OWN_METRICS.includes(name) && definitionOf(name) === undefined);
  const bareHistogram = metricsIn(query).filter((name) => METRIC_DEFINITIONS[name]?.kind === 'histogram');
  const labels = [...query.matchAll(/(?<name>[a-zA-Z_]\w*)\{(?<matchers>[^}]*)\}/g)].flatMap(({ groups }) =>
    [...(groups?.['matchers'] ?? '').matchAll(/(?<label>\w+)\s*(?:=~|!~|!=|=)\s*"/g)].flatMap((matcher) => {
      const name = groups?.['name'] ?? '';
      const label = matcher.groups?.['label'] ?? '';
      const known = [...(definitionOf(name)?.labels ?? []), 'job', 'instance', 'le'];
      return known.includes(label) ? [] : [`${name}{${label}}`];
    }),
  );
  return [...unknown, ...bareHistogram, ...labels, ...unknownValues(query)];
}

/** Values of labels that the program never writes, so that nothing is selected. */
function unknownValues(query: string): string[] {
  return [...query.matchAll(/(?<name>[a-zA-Z_]\w*)\{(?<matchers>[^}]*)\}/g)].flatMap(({ groups }) =>
    [...(groups?.['matchers'] ?? '').matchAll(/(?<label>\w+)\s*(?:!=|=)\s*"(?<value>[^"]*)"/g)].flatMap((matcher) => {
      const { label = '', value = '' } = matcher.groups ?? {};
      const values = definitionOf(groups?.['name'] ?? '')?.values?.[label];
      return values === undefined || values.includes(value) ? [] : [`${label}="${value}"`];
    }),
  );
}

const Alerts = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.object({ summary: z.string().min(10), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});
const Count = z.int().nonnegative();
const Dashboard = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).min(1),
      gridPos: z.object({ x: Count, y: Count, w: Count.min(1), h: Count.min(1) }),
    }),
  ),
});
/** Of Grafana's grid. */
const COLUMNS = 24;

const AlertTests = z.object({
  tests: z.array(
    z.object({
      input_series: z.array(z.object({ series: z.string() })),
      alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })).optional(),
    }),
  ),
});

const alerts = Alerts.parse(parse(read('deploy/prometheus/alerts.yaml'))).groups.flatMap(({ rules }) => rules);
const { panels } = Dashboard.parse(JSON.parse(read('deploy/grafana/guildbook.json')));

describe('the check of a query', () => {
  it('finds what does not exist', () => {
    expect(problemsOf('sum by (queue) (rate(guildbook_no_such_total[5m])) > 1')).toEqual(['guildbook_no_such_total']);
    expect(problemsOf('guildbook_queue_length{route="x"}')).toEqual(['guildbook_queue_length{route}']);
    expect(problemsOf('rate(guildbook_http_request_duration_seconds[5m])')).not.toEqual([]);
    expect(problemsOf('max(nodejs_no_such_seconds) and process_no_such_bytes')).toHaveLength(2);
    expect(problemsOf('guildbook_publications_total{result="broken"}')).toEqual(['result="broken"']);
  });
});

describe('the alerts', () => {
  it.each(alerts)('$alert names metrics and labels that exist', ({ expr }) => {
    expect(metricsIn(expr)).not.toEqual([]);
    expect(problemsOf(expr)).toEqual([]);
  });

  it.each(alerts)('$alert links to a section that says what to do', ({ annotations }) => {
    const [page, anchor] = annotations.runbook_url.split('#');
    expect(page).toBe('docs/troubleshoot.md');
    const anchors = [...read('docs/troubleshoot.md').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .trim()
        .replace(/\s/g, '-'),
    );
    expect(anchors).toContain(anchor);
  });
});

describe('the tests of the alerts', () => {
  const { tests } = AlertTests.parse(parse(read('deploy/prometheus/alerts.test.yaml')));

  it('let each alert fire', () => {
    const fired = tests.flatMap(({ alert_rule_test: steps = [] }) =>
      steps.filter(({ exp_alerts: expected }) => expected.length > 0).map(({ alertname }) => alertname),
    );
    expect([...new Set(fired)].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  it('use series that exist', () => {
    const series = tests.flatMap(({ input_series: inputs }) => inputs.map((input) => input.series));
    expect(series.length).toBeGreaterThan(0);
    expect(series.flatMap(problemsOf)).toEqual([]);
    expect(series.flatMap(metricsIn).filter((name) => !OWN_METRICS.includes(name) && !definitionOf(name))).toEqual([]);
  });
});

describe('the values of labels', () => {
  const { values: deliveries } = METRICS.guildbook_deliveries_total;

  it('are those of the parts that count', () => {
    expect(deliveries.moment).toEqual(MOMENTS);
    expect(deliveries.arm).toEqual(ARMS);
    expect(METRICS.guildbook_candidates_total.values.verdict).toEqual(VERDICTS);
  });

  it('are of labels that the metric has', () => {
    for (const [name, { labels, values = {} }] of Object.entries(METRIC_DEFINITIONS))
      expect([name, Object.keys(values).filter((label) => !labels.includes(label))]).toEqual([name, []]);
  });
});

describe('the dashboard', () => {
  it.each(panels)('$title shows metrics that exist', ({ targets }) => {
    for (const { expr } of targets) {
      expect(metricsIn(expr)).not.toEqual([]);
      expect(problemsOf(expr)).toEqual([]);
    }
  });

  it('has its panels within the grid, none on another', () => {
    const fields = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => [x + (n % w), y + Math.floor(n / w)] as const),
    );
    expect(fields.filter(([column]) => column >= COLUMNS)).toEqual([]);
    expect(new Set(fields.map(String)).size).toBe(fields.length);
  });

  it('shows every metric', () => {
    const shown = new Set(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr))));
    const isShown = (name: string) =>
      [...shown].some((series) => series === name || definitionOf(series) === METRIC_DEFINITIONS[name]);
    expect(
      Object.keys(METRIC_DEFINITIONS).filter((name) => name !== 'nodejs_heap_limit_bytes' && !isShown(name)),
    ).toEqual([]);
  });
});

describe('the page about metrics', () => {
  it('lists every metric with its kind, labels and meaning, and no other', () => {
    const rows = [...read('docs/observe.md').matchAll(/^\| `((?:guildbook|process|nodejs)_\w+)` \| (.*) \|$/gm)];
    const wanted = Object.entries(METRIC_DEFINITIONS).map(([name, { kind, help, labels }]) => [
      name,
      `${kind} | ${labels.map((label) => `\`${label}\``).join(', ') || '–'} | ${help.replace(/\.$/, '')}`,
    ]);
    expect(rows.map(([, name, rest]) => [name, rest])).toEqual(wanted);
  });
});
