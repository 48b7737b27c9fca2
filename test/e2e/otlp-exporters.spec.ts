import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { dumpTables } from '../support/dump.js';
import { postOtlp } from '../support/otlp-protobuf.js';
import { referenceOf } from '../support/references.js';

const RECORDED = join(PROJECT_ROOT, 'test', 'golden', 'otlp-python');
/** The words of the recorded conversation; `record.py` puts them into every attribute that can hold a text. */
const WORDS = 'the heron stands in the reeds';

let app: TestApplication;

beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

/** The only execution of the agent after everything that it sent. */
async function reportOf(agent: string) {
  app.clock.advance(MINUTE_MS);
  app.app.get(FragmentAssembler).wake();
  await app.app.get(FragmentAssembler).idle();
  const { items } = await app.admin.executions.list({ limit: 200 });
  const own = items.filter((item) => item.agent === agent);
  expect(own).toHaveLength(1);
  return (await app.admin.executions.show(own[0]?.id ?? '')).report;
}

describe('the official exporter', () => {
  it('of Python, as recorded, reports a run with a failed call and its recovery, and no word of it', async () => {
    const { token } = await app.agent('Heron');
    const headers = { 'content-encoding': 'gzip' };
    for (const signal of ['logs', 'traces', 'traces'] as const) {
      const body = new Uint8Array(readFileSync(join(RECORDED, `${signal}.pb.gz`)));
      expect(gunzipSync(body).includes(WORDS)).toBe(true);
      expect(await postOtlp(app.url, signal, token, body, { headers })).toMatchObject({
        status: 200,
        type: 'application/x-protobuf',
        bytes: Buffer.alloc(0),
      });
    }
    expect(await reportOf('Heron')).toMatchObject({
      sessionId: referenceOf(app, 'reeds-1'),
      model: 'reed-model',
      status: 'completed',
      turnCount: 3,
      toolCalls: [
        { name: 'bash', action: 'python count.py', ok: false, errorCategory: 'SyntaxError' },
        { name: 'bash', action: 'python3 count.py', ok: true, ran: true },
      ],
      tags: ['otel', 'agent:heron'],
    });
    expect(JSON.stringify(await dumpTables(app.database))).not.toContain(WORDS);
  });

  it('of Node, live, reports the same in protobuf and takes the answer for a success', async () => {
    const { token } = await app.agent('Crane');
    const exporter = new OTLPTraceExporter({
      url: `${app.url}/v1/traces`,
      headers: { authorization: `Bearer ${token}` },
    });
    const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
    const tracer = provider.getTracer('crane');
    const agent = tracer.startSpan('invoke_agent crane', {
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'crane' },
    });
    const inside = trace.setSpan(context.active(), agent);
    for (const [n, command] of ['python count.py', 'python3 count.py'].entries()) {
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'bash',
        'gen_ai.tool.call.id': `call-${n}`,
        'gen_ai.tool.call.arguments': JSON.stringify({ command }),
      };
      const span = tracer.startSpan('execute_tool bash', { attributes }, inside);
      if (n === 0) span.setStatus({ code: SpanStatusCode.ERROR, message: 'SyntaxError: invalid syntax' });
      span.end();
    }
    agent.end();
    await provider.shutdown();
    expect(await reportOf('Crane')).toMatchObject({
      status: 'completed',
      toolCalls: [
        { action: 'python count.py', ok: false, errorCategory: 'SyntaxError' },
        { action: 'python3 count.py', ok: true },
      ],
    });
  });
});
