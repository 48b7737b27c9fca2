import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { METRIC_DEFINITIONS } from '../../src/platform/telemetry/metric-definitions.js';

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
  return [...unknown, ...bareHistogram, ...labels];
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
const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })),
});

const alerts = Alerts.parse(parse(read('deploy/prometheus/alerts.yaml'))).groups.flatMap(({ rules }) => rules);
const { panels } = Dashboard.parse(JSON.parse(read('deploy/grafana/guildbook.json')));

describe('the check of a query', () => {
  it('finds what does not exist', () => {
    expect(problemsOf('sum by (queue) (rate(guildbook_no_such_total[5m])) > 1')).toEqual(['guildbook_no_such_total']);
    expect(problemsOf('guildbook_queue_length{route="x"}')).toEqual(['guildbook_queue_length{route}']);
    expect(problemsOf('rate(guildbook_http_request_duration_seconds[5m])')).not.toEqual([]);
    expect(problemsOf('max(nodejs_no_such_seconds) and process_no_such_bytes')).toHaveLength(2);
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

describe('the dashboard', () => {
  it.each(panels)('$title shows metrics that exist', ({ targets }) => {
    for (const { expr } of targets) {
      expect(metricsIn(expr)).not.toEqual([]);
      expect(problemsOf(expr)).toEqual([]);
    }
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
