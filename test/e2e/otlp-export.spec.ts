import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Span } from '../../src/platform/otlp/generated/opentelemetry/proto/trace/v1/trace_pb.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { canary } from '../support/canaries.js';
import { type Collector, hex, startCollector } from '../support/collector.js';
import { pythonReport } from '../support/fleet.js';

const SECRET = canary(0).text;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';

let collector: Collector;
let app: TestApplication;
let answer: Response;

beforeAll(async () => {
  collector = await startCollector();
  app = await startTestApplication({ GUILDBOOK_OTLP_ENDPOINT: collector.url });
  const ada = await app.agent('Ada');
  await ada.client.executions.report({ ...pythonReport(app, 'traced'), taskTitle: `Use ${SECRET} once` });
  answer = await fetch(`${app.url}/v1/skills/no-such-skill?q=${SECRET}`, {
    headers: {
      authorization: `Bearer ${app.adminToken}`,
      traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`,
      tracestate: `vendor=${SECRET.slice(0, 20)}`,
      baggage: `token=${SECRET}`,
      'user-agent': SECRET,
    },
  });
  await fetch(`${app.url}/${SECRET}`, { headers: { traceparent: SECRET } });
  await app.settled();
  // Sends what is left.
  await app.close();
});
afterAll(() => collector.close());

const attribute = (span: Span | undefined, name: string): unknown =>
  span?.attributes.find(({ key }) => key === name)?.value?.value.value;

describe('a collector', () => {
  it('receives traces and metrics in protobuf, under the paths of OTLP', () => {
    expect(new Set(collector.received.map(({ path }) => path))).toEqual(new Set(['/v1/traces', '/v1/metrics']));
    for (const { type } of collector.received) expect(type).toBe('application/x-protobuf');
    const metrics = collector.received
      .filter(({ path }) => path === '/v1/metrics')
      .map(({ body }) => body.toString('latin1'));
    expect(metrics.join('')).toContain('guildbook_http_requests_total');
    expect(metrics.join('')).toContain('process_resident_memory_bytes');
  });

  it('receives a span for each request, as a part of the trace of its caller', () => {
    const span = collector.spans().find(({ name }) => name === 'GET /v1/skills/:name');
    expect(hex(span?.traceId)).toBe(TRACE_ID);
    expect(hex(span?.parentSpanId)).toBe(PARENT_ID);
    expect(attribute(span, 'http.route')).toBe('/v1/skills/:name');
    expect(String(attribute(span, 'http.response.status_code'))).toBe('404');
    expect(answer.headers.get('traceresponse')).toBe(`00-${TRACE_ID}-${hex(span?.spanId)}-01`);
  });

  it('receives background work as traces of its own, and no parent from a header that is none', () => {
    const work = collector.spans().find(({ name }) => name === 'work CaptureWorker');
    expect(work?.parentSpanId).toHaveLength(0);
    const request = collector.spans().find(({ name }) => name === 'GET unmatched');
    expect(request?.parentSpanId).toHaveLength(0);
  });

  it('receives no text from outside: no path, query, header or body', () => {
    for (const { body } of collector.received) {
      expect(body.includes(SECRET)).toBe(false);
      expect(body.includes(app.adminToken)).toBe(false);
      expect(body.includes('no-such-skill')).toBe(false);
    }
  });
});
