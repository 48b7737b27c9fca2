import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { METRIC_DEFINITIONS } from '../../src/platform/telemetry/metric-definitions.js';
import { areMetricsOn } from '../../src/platform/telemetry/metrics.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { canary } from '../support/canaries.js';
import { metricsIn, metricValue } from '../support/prometheus-text.js';

const TOKEN = 'only-for-the-metrics-of-this-test-0001';
const SECRET = canary(0).text;

let app: TestApplication;
beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_METRICS_TOKEN: TOKEN });
});
afterAll(() => app.close());

const read = (authorization?: string) =>
  fetch(`${app.url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
const scrape = async () => (await read(`Bearer ${TOKEN}`)).text();

describe('/metrics', () => {
  it('is read with its own token only: not without one, and not with that of an administrator', async () => {
    for (const given of [undefined, '', 'Bearer', `Bearer ${TOKEN}x`, TOKEN, `Bearer ${app.adminToken}`])
      expect((await read(given)).status).toBe(401);
    const answer = await read(`Bearer ${TOKEN}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('opens nothing else with that token', async () => {
    const answer = await fetch(`${app.url}/v1/agents`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(answer.status).toBe(401);
  });

  it('counts requests by the pattern of their route, and never names a path or another text from outside', async () => {
    const authorization = `Bearer ${app.adminToken}`;
    await fetch(`${app.url}/v1/skills/no-such-skill?q=${SECRET}`, { headers: { authorization } });
    await fetch(`${app.url}/${SECRET}`, { method: 'PURGE', headers: { 'user-agent': SECRET } }).catch(() => undefined);
    await fetch(`${app.url}/${SECRET}`);
    const text = await scrape();
    const requests = 'guildbook_http_requests_total';
    expect(metricValue(text, requests, { method: 'GET', route: '/v1/skills/:name', status: '404' })).toBe(1);
    expect(metricValue(text, requests, { route: 'unmatched', status: '404' })).toBeGreaterThanOrEqual(1);
    expect(text).not.toContain(SECRET);
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

describe('without the setting', () => {
  it('there is no such route', async () => {
    const off = await startTestApplication();
    try {
      const answer = await fetch(`${off.url}/metrics`, { headers: { authorization: 'Bearer ' } });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'route.not_found' });
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
