import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Span } from '../../src/platform/otlp/generated/opentelemetry/proto/trace/v1/trace_pb.js';
import { WebhookDeliveryWorker } from '../../src/webhooks/webhook-delivery-worker.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type Collector, hex, startCollector } from '../support/collector.js';
import { type EmbeddingsApi, startEmbeddingsApi } from '../support/embeddings-api.js';
import { storedMemory } from '../support/memories.js';
import { ANSWERS, type MessagesApi, startMessagesApi } from '../support/messages-api.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { report } from '../support/reports.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = /^00-(?<trace>[0-9a-f]{32})-(?<span>[0-9a-f]{16})-01$/;

let api: MessagesApi;
let embeddings: EmbeddingsApi;
let receiver: Receiver;
beforeAll(async () => {
  [api, embeddings, receiver] = [await startMessagesApi(), await startEmbeddingsApi(), await startReceiver()];
});
afterAll(async () => {
  await Promise.all([api.close(), embeddings.close(), receiver.close()]);
});
afterEach(() => {
  api.forget();
  embeddings.calls.length = 0;
});

const start = (environment: Record<string, string> = {}): Promise<TestApplication> =>
  startTestApplication({
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'scripted',
    GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE: 'true',
    GUILDBOOK_RECALL_MODEL: 'small-1',
    GUILDBOOK_RECALL_SELECTOR: 'model',
    GUILDBOOK_RETRIEVAL: 'hybrid',
    GUILDBOOK_EMBEDDER_URL: embeddings.url,
    GUILDBOOK_EMBEDDER_MODEL: 'm-1',
    ...environment,
  });

/** Lets a report be learned from, an agent recall, and webhooks be sent by a request and by background work. */
async function work(app: TestApplication): Promise<void> {
  api.answer(ANSWERS.noUpdate());
  const { id, token, client } = await app.agent('Ada');
  await client.executions.report(report());
  await app.settled();
  await storedMemory(app.database, { discovery: 'The zeppelin needs perl', agentId: id, createdAt: app.clock.now() });
  api.answer(ANSWERS.message(JSON.stringify({ selected: [1] })));
  await call(app, token, '/v1/recall', { query: 'zeppelin perl' });
  const webhook = await app.admin.webhooks.add({ url: receiver.url });
  await call(app, app.adminToken, `/v1/webhooks/${webhook.id}/test`, undefined);
  const { id: proposal, artifactSha256 } = await submitTestProposal(app, 'Write the long name');
  await call(app, app.adminToken, `/v1/proposals/${proposal}/approve`, { artifactSha256 });
  const worker = app.app.get(WebhookDeliveryWorker);
  worker.wake();
  await worker.idle();
}

/** Posts as a part of a caller's trace. */
async function call(app: TestApplication, token: string, path: string, body: object | undefined): Promise<void> {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([path, response.ok]).toEqual([path, true]);
}

describe('with traces on', () => {
  let collector: Collector;
  let messages: { body: string; header: unknown }[];
  let asked: { purpose: 'lesson' | 'recall'; header: unknown }[];
  let embedded: unknown[];

  beforeAll(async () => {
    collector = await startCollector();
    const app = await start({ GUILDBOOK_OTLP_ENDPOINT: collector.url });
    await work(app);
    messages = receiver.messages.map(({ body, headers }) => ({ body, header: headers['traceparent'] }));
    asked = api.requests.map(({ body, headers }) => ({
      purpose: body.model === 'small-1' ? 'recall' : 'lesson',
      header: headers['traceparent'],
    }));
    embedded = embeddings.calls.map(({ headers }) => headers['traceparent']);
    // Sends what is left.
    await app.close();
  });
  afterAll(() => collector.close());

  /** The span that a header names, and its parents. */
  function lineOf(header: unknown): string[] {
    const { trace = '', span = '' } = TRACEPARENT.exec(String(header))?.groups ?? {};
    const spans = collector.spans().filter(({ traceId }) => hex(traceId) === trace);
    const line: Span[] = [];
    for (let next = spans.find(({ spanId }) => hex(spanId) === span); next; ) {
      line.push(next);
      const parent = hex(next.parentSpanId);
      next = spans.find(({ spanId }) => hex(spanId) === parent);
    }
    return line.map(({ name }) => name);
  }
  const traceOf = (header: unknown): string | undefined => TRACEPARENT.exec(String(header))?.groups?.['trace'];

  it('a model reads the trace of the work that asks it', () => {
    const lessons = asked.filter(({ purpose }) => purpose === 'lesson');
    expect(lessons).not.toEqual([]);
    for (const { header } of lessons) expect(lineOf(header)).toEqual(['model call', 'work ProposerWorker']);
  });

  it('a model that a recall waits for, and the embedder, read the trace of the caller', () => {
    const recalled = asked.filter(({ purpose }) => purpose === 'recall');
    expect(recalled).not.toEqual([]);
    for (const { header } of recalled) {
      expect(lineOf(header)).toEqual(['model call', 'POST /v1/recall']);
      expect(traceOf(header)).toBe(TRACE_ID);
    }
    expect(embedded.map(traceOf)).toContain(TRACE_ID);
  });

  it('a webhook reads the trace of the request that sends or queues it', () => {
    const of = (type: string) => messages.filter(({ body }) => body.includes(type)).map(({ header }) => header);
    const [test] = of('webhook.test');
    expect(lineOf(test)).toEqual(['webhook message', 'POST /v1/webhooks/:id/test']);
    expect(traceOf(test)).toBe(TRACE_ID);
    const [queued] = of('proposal.approved');
    expect(lineOf(queued)).toEqual(['webhook message', 'POST /v1/proposals/:id/approve']);
    expect(traceOf(queued)).toBe(TRACE_ID);
  });
});

describe('with traces off', () => {
  it('no header is sent, also if the caller sent one', async () => {
    const before = receiver.messages.length;
    const app = await start({ GUILDBOOK_METRICS_TOKEN: 'only-for-the-metrics-of-this-test-0004' });
    try {
      await work(app);
      const sent = [
        ...receiver.messages.slice(before).map(({ headers }) => headers),
        ...api.requests.map(({ headers }) => headers),
        ...embeddings.calls.map(({ headers }) => headers),
      ];
      expect(sent.length).toBeGreaterThanOrEqual(5);
      for (const headers of sent)
        expect(Object.keys(headers).filter((name) => /^(?:trace|baggage)/.test(name))).toEqual([]);
    } finally {
      await app.close();
    }
  });
});
