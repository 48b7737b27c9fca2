import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { otlp, otlpLogs, PYTHON_RUN, traceId } from '../support/otlp.js';
import { postOtlp, type Signal, statusIn, toProtobuf, traceResponseIn } from '../support/otlp-protobuf.js';
import { referenceOf } from '../support/references.js';

const PROTOBUF = 'application/x-protobuf';
/** Bytes of the body limit and more, in a few thousand zipped bytes. */
const BOMB = new Uint8Array(50_000_000);

let app: TestApplication;
let token: string;
let reader: Guildbook;

beforeAll(async () => {
  app = await startTestApplication();
  ({ token } = await app.agent('Ada'));
  reader = app.client((await app.admin.services.add({ name: 'reader', scopes: ['read'] })).token);
});
afterAll(() => app.close());

const send = (signal: Signal, body: Uint8Array<ArrayBuffer> | string, options = {}) =>
  postOtlp(app.url, signal, token, body, options);

async function executionsOf(trace: string) {
  app.clock.advance(MINUTE_MS);
  app.app.get(FragmentAssembler).wake();
  await app.app.get(FragmentAssembler).idle();
  const { items } = await reader.executions.list({ limit: 200 });
  return items.filter(({ executionId }) => executionId.startsWith(`otel:${referenceOf(app, trace)}:`));
}

/** A field with a length: the tag of its number, the length and the bytes. */
function field(number: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) {
      length.push(rest);
      break;
    }
    length.push((rest % 128) + 128);
  }
  return new Uint8Array([number * 8 + 2, ...length, ...bytes]);
}

/** An export with one span without ids, and with these bytes of attributes. */
const spanWith = (attributes: Uint8Array): Uint8Array<ArrayBuffer> => field(1, field(2, field(2, attributes)));

describe('an export in protobuf', () => {
  it('is the same execution as in JSON, gzipped or not, and is stored once', async () => {
    const body = otlp(PYTHON_RUN, { trace: traceId(1) });
    for (const gzip of [true, false])
      expect(await send('traces', toProtobuf('traces', body), { gzip })).toMatchObject({
        status: 200,
        type: PROTOBUF,
        bytes: Buffer.alloc(0),
      });
    expect((await send('traces', JSON.stringify(body))).bytes.toString()).toBe('{}');
    const executions = await executionsOf(traceId(1));
    expect(executions).toMatchObject([{ toolCalls: 2, failedCalls: 1, status: 'completed' }]);
  });

  it('is answered with the number of spans that cannot be read, in protobuf', async () => {
    const body = otlp(PYTHON_RUN, { trace: traceId(2) });
    const spans: unknown[] = body.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    spans.push({ name: 'no ids' }, { ...Object(spans[0]), startTimeUnixNano: '0' });
    const answer = await send('traces', toProtobuf('traces', body));
    expect(answer).toMatchObject({ status: 200, type: PROTOBUF });
    expect(traceResponseIn(answer)).toEqual({
      partialSuccess: { rejectedSpans: '2', errorMessage: expect.stringContaining('without a trace id') },
    });
    expect(await executionsOf(traceId(2))).toHaveLength(1);
  });

  it('without a record is accepted for each signal', async () => {
    for (const signal of ['traces', 'logs', 'metrics'] as const) {
      expect(await send(signal, new Uint8Array())).toMatchObject({ status: 200, type: PROTOBUF });
      expect((await send(signal, '{}')).bytes.toString()).toBe('{}');
    }
  });

  it('of metrics is received and dropped', async () => {
    expect(await send('metrics', field(1, new Uint8Array([1, 2, 3])))).toMatchObject({ status: 200, type: PROTOBUF });
    expect(await send('metrics', '{"resourceMetrics":[{}]}')).toMatchObject({ status: 200 });
  });
});

describe('a hostile export', () => {
  const whole = toProtobuf('traces', otlp(PYTHON_RUN, { trace: traceId(3) }));
  const nested = (levels: number): Uint8Array => {
    // AnyValue { kvlist_value: { values: { value: … } } }
    let value: Uint8Array = field(1, Buffer.from('end'));
    for (let n = 0; n < levels; n += 1) value = field(6, field(1, field(2, value)));
    return value;
  };
  const attribute = (value: Uint8Array) =>
    spanWith(field(9, new Uint8Array([...field(1, Buffer.from('k')), ...field(2, value)])));
  const many = (count: number, bytes: readonly number[]) =>
    spanWith(new Uint8Array(Array.from({ length: count }, () => bytes).flat()));

  it.each([
    ['a truncated message', whole.slice(0, -7), 'request.malformed_protobuf'],
    ['a wrong wire type', new Uint8Array([8, 1, 8, 1]), 'request.malformed_protobuf'],
    ['a huge length', new Uint8Array([10, 255, 255, 255, 255, 15, 1]), 'request.malformed_protobuf'],
    ['JSON as protobuf', new Uint8Array(Buffer.from('{"resourceSpans":[]}')), 'request.malformed_protobuf'],
    ['an endless number', new Uint8Array(20).fill(255), 'request.malformed_protobuf'],
    ['text that is no UTF-8', attribute(field(1, new Uint8Array([0xff, 0xfe]))), 'request.malformed_protobuf'],
    ['values in values', attribute(nested(2_000)), 'request.too_deep'],
    ['half a million empty attributes', many(500_000, [9 * 8 + 2, 0]), 'request.too_many_values'],
  ])('is refused and not tried again: %s', async (_name, body, code) => {
    const answer = await send('traces', body);
    expect(answer).toMatchObject({ status: 400, type: PROTOBUF, retryAfter: null });
    expect(statusIn(answer)).toEqual({ code: 3, message: expect.stringContaining(`(${code})`) });
  });

  it('with a part of each kind has nothing stored', async () => {
    expect(await executionsOf(traceId(3))).toEqual([]);
    expect(await app.database.client.fragmentAssembly.count({ where: { key: traceId(3) } })).toBe(0);
  });

  it('with 60,000 attributes of one span loses no other span', async () => {
    const body = otlp(PYTHON_RUN, { trace: traceId(4) });
    const [first] = body.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    const pairs = Array.from({ length: 60_000 }, (_, n) => ({ key: `k${n}`, value: { intValue: String(n) } }));
    first?.attributes.push(...pairs);
    const bytes = toProtobuf('traces', body);
    expect(await send('traces', bytes, { gzip: true })).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
    expect(await executionsOf(traceId(4))).toMatchObject([{ toolCalls: 2, failedCalls: 1 }]);
  });

  it('that unpacks to more than the limit is too large, and bytes that are no gzip are invalid', async () => {
    const bomb = await send('traces', BOMB, { gzip: true });
    expect(bomb).toMatchObject({ status: 413, type: PROTOBUF });
    expect(statusIn(bomb)).toMatchObject({ message: expect.stringContaining('(request.too_large)') });
    const broken = await send('logs', new Uint8Array([1, 2, 3]), { headers: { 'content-encoding': 'gzip' } });
    expect(broken).toMatchObject({ status: 400, type: PROTOBUF });
    expect(await send('traces', BOMB.slice(0, 9), { headers: { 'content-encoding': 'br' } })).toMatchObject({
      status: 415,
    });
  });
});

describe('a refusal of OTLP/HTTP', () => {
  it('is a google.rpc.Status in the encoding of the request', async () => {
    const json = await send('traces', '{"resourceSpans":7}');
    expect(json).toMatchObject({ status: 400, type: 'application/json; charset=utf-8' });
    expect(JSON.parse(json.bytes.toString())).toMatchObject({
      code: 3,
      message: expect.stringContaining('(request.invalid)'),
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'resourceSpans', description: expect.any(String) }],
        },
      ],
    });
    const logs = await send('logs', '{');
    expect(JSON.parse(logs.bytes.toString())).toMatchObject({ message: expect.stringContaining('malformed_json') });
  });

  it('names the missing credential, and the media types that are taken', async () => {
    const stranger = await postOtlp(app.url, 'logs', 'none', toProtobuf('logs', otlpLogs([])));
    expect(stranger).toMatchObject({ status: 401, type: PROTOBUF });
    expect(statusIn(stranger)).toMatchObject({ code: 16 });
    expect(await send('traces', 'text', { type: 'text/plain' })).toMatchObject({ status: 415 });
    const elsewhere = await fetch(`${app.url}/v1/executions`, {
      method: 'POST',
      headers: { 'content-type': PROTOBUF, authorization: `Bearer ${token}` },
      body: new Uint8Array([10]),
    });
    expect({ status: elsewhere.status, body: await elsewhere.json() }).toMatchObject({
      status: 415,
      body: { code: 'request.media_type' },
    });
  });

  it('for a caller with too many requests says when to try again', async () => {
    const limited = await startTestApplication({ GUILDBOOK_RATE_LIMIT_PRINCIPAL: '3' });
    try {
      const agent = await limited.agent('Ben');
      const body = toProtobuf('traces', otlp(PYTHON_RUN));
      let answer = await postOtlp(limited.url, 'traces', agent.token, body);
      for (let n = 0; n < 10 && answer.status === 200; n += 1)
        answer = await postOtlp(limited.url, 'traces', agent.token, body);
      expect(answer).toMatchObject({ status: 429, type: PROTOBUF });
      expect(Number(answer.retryAfter)).toBeGreaterThan(0);
      expect(statusIn(answer)).toMatchObject({ code: 8 });
    } finally {
      await limited.close();
    }
  });
});
