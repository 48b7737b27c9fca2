import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '../../src/platform/config/version.js';
import { METRIC_DEFINITIONS } from '../../src/platform/telemetry/metric-definitions.js';
import { areMetricsOn } from '../../src/platform/telemetry/metrics.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { canary } from '../support/canaries.js';
import { onlyPending, pythonReport, reportPythonFleet } from '../support/fleet.js';
import { http } from '../support/http.js';
import { metricsIn, metricValue } from '../support/prometheus-text.js';

const TOKEN = 'only-for-the-metrics-of-this-test-0001';
const SECRET = canary(0).text;

let app: TestApplication;
beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_METRICS_TOKEN: TOKEN });
});
afterAll(() => app.close());

const read = (authorization?: string) =>
  http(app)
    .get('/metrics')
    .set(authorization === undefined ? {} : { authorization });
const scrape = async () => (await http(app, TOKEN).get('/metrics')).text;

describe('/metrics', () => {
  it('is read with its own token only: not without one, and not with that of an administrator', async () => {
    for (const given of [undefined, '', 'Bearer', `Bearer ${TOKEN}x`, TOKEN, `Bearer ${app.adminToken}`])
      expect((await read(given)).status).toBe(401);
    const answer = await read(`Bearer ${TOKEN}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('opens nothing else with that token', async () => {
    await http(app, TOKEN).get('/v1/agents').expect(401);
  });

  it('counts requests by the pattern of their route, and never names a path or another text from outside', async () => {
    await http(app, app.adminToken).get('/v1/skills/no-such-skill').query({ q: SECRET });
    await fetch(`${app.url}/${SECRET}`, { method: 'PURGE', headers: { 'user-agent': SECRET } }).catch(() => undefined);
    await http(app).get(`/${SECRET}`);
    const text = await scrape();
    const requests = 'guildbook_http_requests_total';
    expect(metricValue(text, requests, { method: 'GET', route: '/v1/skills/:name', status: '404' })).toBe(1);
    expect(metricValue(text, requests, { route: 'unmatched', status: '404' })).toBeGreaterThanOrEqual(1);
    expect(text).not.toContain(SECRET);
  });

  it('shows 0 from the start for what has not happened, so that a rate has the first event', async () => {
    const text = await scrape();
    for (const name of [
      ...['guildbook_cycles_total', 'guildbook_publications_total', 'guildbook_deliveries_total'],
      ...['guildbook_model_calls_total', 'guildbook_model_tokens_total', 'guildbook_model_cost_dollars_total'],
      ...['guildbook_cycle_duration_seconds_count', 'guildbook_decision_age_seconds_count'],
    ])
      expect([name, metricValue(text, name)]).toEqual([name, 0]);
    expect(metricValue(text, 'guildbook_work_runs_total', { worker: 'Publisher', result: 'failed' })).toBe(0);
  });

  it('has the values of the process, its event loop and its database', async () => {
    const text = await scrape();
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'process_start_time_seconds',
      'nodejs_heap_used_bytes',
      'nodejs_heap_limit_bytes',
      'guildbook_info',
      'guildbook_database_query_duration_seconds_count',
    ])
      expect([name, metricValue(text, name)]).toEqual([name, expect.any(Number)]);
    expect(metricValue(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(metricValue(text, 'nodejs_eventloop_utilization_ratio')).toBeLessThanOrEqual(1);
    expect(metricValue(text, 'guildbook_database_connections', { role: 'main' })).toBeGreaterThan(0);
    expect(metricValue(text, 'guildbook_database_query_duration_seconds_count')).toBeGreaterThan(0);
    expect(metricValue(text, 'guildbook_database_waiting', { role: 'main' })).toBe(0);
    expect(metricValue(text, 'guildbook_info', { version: VERSION, node: process.versions.node })).toBe(1);
    const started = metricValue(text, 'process_start_time_seconds') ?? 0;
    expect(new Date(started * 1_000).getTime()).toBeCloseTo(performance.timeOrigin, -3);
    for (const statistic of ['p50', 'p99', 'max'])
      expect(metricValue(text, 'nodejs_eventloop_delay_seconds', { statistic })).toBeGreaterThanOrEqual(0);
  });

  it('has the time of requests, by route', async () => {
    const text = await scrape();
    const name = 'guildbook_http_request_duration_seconds';
    const labels = { method: 'GET', route: '/v1/skills/:name' };
    expect(metricValue(text, `${name}_count`, labels)).toBe(1);
    expect(metricValue(text, `${name}_sum`, labels)).toBeGreaterThan(0);
    expect(metricValue(text, `${name}_bucket`, { ...labels, le: '+Inf' })).toBe(1);
  });

  it('counts statements that fail, and transactions that are repeated after a write conflict and given up', async () => {
    await expect(app.database.client.$executeRaw`SELECT 1 FROM no_such_table`).rejects.toThrow();
    let attempts = 0;
    const conflict = (times: number) =>
      app.database.sqlTransaction(async (tx) => {
        attempts += 1;
        if (attempts <= times)
          await tx.$executeRaw`DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$`;
      });
    await conflict(1);
    attempts = 0;
    await expect(conflict(100)).rejects.toThrow();
    const text = await scrape();
    expect(metricValue(text, 'guildbook_database_query_duration_seconds_count', { result: 'failed' })).toBeGreaterThan(
      attempts,
    );
    expect(metricValue(text, 'guildbook_database_conflicts_total', { result: 'repeated' })).toBe(attempts);
    expect(metricValue(text, 'guildbook_database_conflicts_total', { result: 'given_up' })).toBe(1);
  });

  it('names only metrics that are defined, each with its help and its labels', async () => {
    const metrics = metricsIn(await scrape());
    expect(metrics.length).toBeGreaterThan(10);
    for (const { name, help, labels } of metrics) {
      const definition = METRIC_DEFINITIONS[name];
      expect([name, definition?.help]).toEqual([name, help]);
      expect(labels.filter((label) => label !== 'le' && !definition?.labels.includes(label))).toEqual([]);
    }
  });
});

describe('what the product does', () => {
  it('is counted: reports, redactions by rule, and the queues of the installation', async () => {
    const ada = await app.agent('Ada');
    const report = { ...pythonReport(app, 'metrics'), taskTitle: `Use the token ${SECRET} once` };
    await ada.client.executions.report(report);
    await ada.client.executions.report(report);
    const text = await scrape();
    expect(metricValue(text, 'guildbook_reports_total', { result: 'stored' })).toBe(1);
    expect(metricValue(text, 'guildbook_reports_total', { result: 'duplicate' })).toBe(1);
    expect(metricValue(text, 'guildbook_redactions_total')).toBeGreaterThanOrEqual(1);
    expect(metricValue(text, 'guildbook_queue_length', { queue: 'publications' })).toBe(0);
    expect(metricValue(text, 'guildbook_queue_oldest_age_seconds', { queue: 'publications' })).toBe(0);
    expect(text).not.toContain(SECRET);
  });

  it('is counted: a cycle, its candidates, a decision with its age, and its publication', async () => {
    await reportPythonFleet(app, ['Bo', 'Cy', 'Di', 'Ed', 'Fay', 'Gus', 'Hal', 'Ida']);
    await app.admin.evolver.run(false);
    const proposal = await onlyPending(app);
    app.clock.advance(300_000);
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.settled();
    const text = await scrape();
    expect(metricValue(text, 'guildbook_cycles_total', { result: 'completed' })).toBe(1);
    expect(metricValue(text, 'guildbook_cycle_duration_seconds_count')).toBe(1);
    expect(metricValue(text, 'guildbook_cycle_duration_seconds_sum')).toBeGreaterThan(0);
    const [cycle] = (await app.admin.evolver.reports()).items;
    for (const [verdict, candidates] of Object.entries(cycle?.report?.candidates ?? {}))
      expect(metricValue(text, 'guildbook_candidates_total', { verdict })).toBe(candidates);
    expect(metricValue(text, 'guildbook_candidates_total')).toBeGreaterThanOrEqual(1);
    expect(metricValue(text, 'guildbook_decisions_total', { decision: 'approved' })).toBe(1);
    expect(metricValue(text, 'guildbook_decision_age_seconds_sum', { decision: 'approved' })).toBeGreaterThanOrEqual(
      300,
    );
    expect(metricValue(text, 'guildbook_publications_total', { result: 'published' })).toBe(1);
    const runs = metricValue(text, 'guildbook_work_runs_total', { worker: 'Publisher', result: 'done' });
    expect(runs).toBeGreaterThan(0);
    expect(metricValue(text, 'guildbook_work_run_duration_seconds_count', { worker: 'Publisher' })).toBe(runs);
  });
});

describe('the catalogue', () => {
  it('is shown in full once each part has worked', async () => {
    const shown = metricsIn(await scrape()).map(({ name }) => name);
    expect(Object.keys(METRIC_DEFINITIONS).filter((name) => !shown.includes(name))).toEqual([]);
  });
});

describe('without the setting', () => {
  it('there is no such route', async () => {
    const off = await startTestApplication();
    try {
      const { body } = await http(off).get('/metrics').set('authorization', 'Bearer ').expect(404);
      expect(body).toMatchObject({ code: 'route.not_found' });
    } finally {
      await off.close();
    }
  });

  it('nothing is counted once the last application that counts is closed', async () => {
    const other = await startTestApplication({ GUILDBOOK_METRICS_TOKEN: TOKEN });
    await other.close();
    expect(areMetricsOn()).toBe(true);
    await app.close();
    expect(areMetricsOn()).toBe(false);
    app = await startTestApplication({ GUILDBOOK_METRICS_TOKEN: TOKEN });
  });
});
