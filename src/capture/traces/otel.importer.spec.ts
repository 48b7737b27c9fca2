import { describe, expect, it } from '@jest/globals';
import {
  agentSpan,
  modelSpan,
  otlp,
  PYTHON_RUN,
  type SpanSketch,
  toolSpan,
  traceId,
} from '../../../test/support/otlp.js';
import { otelImporter } from './otel.importer.js';

const derive = (...spans: SpanSketch[]) => otelImporter.derive([JSON.stringify(otlp(spans))]);
const only = (...spans: SpanSketch[]) => {
  const { reports } = derive(...spans);
  expect(reports).toHaveLength(1);
  return reports[0];
};

describe('the OpenTelemetry importer', () => {
  it('finds the error of a call on the span below it by the call’s id', () => {
    const report = only(...PYTHON_RUN);
    expect(report?.toolCalls).toMatchObject([
      {
        name: 'bash',
        action: 'python close.py',
        ok: false,
        errorCategory: 'SyntaxError',
        errorMessage: 'SyntaxError: invalid syntax',
        durationMs: 10,
      },
      { name: 'bash', action: 'python3 close.py', ok: true, durationMs: 10 },
    ]);
  });

  it('keeps calls that start in one millisecond in the order of the export, whatever their ids', () => {
    const commands = ['a', 'b', 'c'].map((name) => `ls ${name}`);
    for (const ids of [
      [7, 8, 9],
      [9, 8, 7],
    ]) {
      const calls = commands.map((command, at) => toolSpan(ids[at] ?? 0, 90, 'bash', { command }));
      const report = only(...PYTHON_RUN, ...calls);
      expect(report?.toolCalls.slice(2).map(({ action }) => action)).toEqual(commands);
    }
  });

  it('reports the arguments, the decisive line, the place in the reply and whether the call ran', () => {
    const asked = {
      id: 9,
      parent: 7,
      from: 91,
      attributes: { 'span.type': 'tool.blocked_on_user', decision: 'reject' },
    };
    const report = only(
      ...PYTHON_RUN,
      toolSpan(7, 90, 'bash', { command: 'ls' }),
      asked,
      toolSpan(8, 95, 'lookup', { cabin: 'economy', body: 'Dear Ann' }),
    );
    const command = (length: number) => [{ key: 'command', type: 'text', length }];
    expect(report?.toolCalls).toMatchObject([
      { errorLine: 'SyntaxError: invalid syntax', arguments: command(15), reply: { position: 1, calls: 2 } },
      { ok: true, ran: true, arguments: command(16), reply: { position: 2, calls: 2 } },
      { ok: false, ran: false },
      {
        arguments: [
          { key: 'cabin', value: 'economy' },
          { key: 'body', type: 'text', length: 8 },
        ],
      },
    ]);
    // no request to the model follows these
    expect(report?.toolCalls.slice(2).map(({ reply }) => reply)).toEqual([undefined, undefined]);
    expect(JSON.stringify(report)).not.toContain('Dear Ann');
  });

  it('reports the environment that the resource names, without the machine', () => {
    const resource = {
      'service.name': 'claude-code',
      'service.version': '2.0.31',
      'os.type': 'darwin',
      'os.version': '14.1',
      'host.name': 'ann-laptop',
      'vcs.repository.url.full': 'https://git.example.com/acme/shop.git',
    };
    const { reports } = otelImporter.derive([JSON.stringify(otlp(PYTHON_RUN, { resource }))]);
    expect(reports[0]?.environment).toEqual({
      harness: 'claude-code',
      harnessVersion: '2.0.31',
      operatingSystem: 'macOS 14.1',
      repository: 'acme/shop',
    });
    expect(only(...PYTHON_RUN)?.environment).toBeUndefined();
  });

  it('does not mark a call as failed for an error that its own code handled', () => {
    const web = { id: 7, parent: 3, name: 'GET', from: 31, failed: true as const, attributes: { 'error.type': '500' } };
    expect(only(agentSpan(), toolSpan(3, 30, 'fetch_rates', {}), web)?.toolCalls).toMatchObject([{ ok: true }]);
  });

  it('counts two spans of one call as one call', () => {
    const inner = toolSpan(
      7,
      31,
      'bash',
      {},
      { parent: 3, attributes: { 'gen_ai.tool.call.id': 'call-3' }, failed: 'error: no' },
    );
    expect(only(agentSpan(), toolSpan(3, 30, 'bash', { command: 'ls' }), inner)?.toolCalls).toMatchObject([
      { action: 'ls', ok: false, errorMessage: 'error: no' },
    ]);
  });

  it('recognises a denied call', () => {
    const asked = {
      id: 7,
      parent: 3,
      from: 31,
      attributes: { 'span.type': 'tool.blocked_on_user', decision: 'reject' },
    };
    expect(only(agentSpan(), toolSpan(3, 30, 'bash', { command: 'ls' }), asked)?.toolCalls).toMatchObject([
      { ok: false, errorCategory: 'denied' },
    ]);
  });

  it('reports a run as failed if its last model request failed, also if its agent’s span has no error', () => {
    const failed = modelSpan(6, 80, {
      failed: 'Overloaded',
      attributes: { 'error.type': 'overloaded_error', 'http.response.status_code': 529 },
    });
    expect(only(agentSpan(), modelSpan(2, 10), failed)).toMatchObject({
      status: 'failed',
      terminationReason: 'api_error:529:overloaded_error',
      errorCategory: 'http-529',
      errorMessage: 'Overloaded',
      verification: { outcome: 'none' },
    });
    expect(only(agentSpan(), failed, modelSpan(7, 90))).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['tool_use', 'aborted', 'unfinished'],
    ['tool_calls', 'aborted', 'unfinished'],
    ['max_tokens', 'failed', 'max_tokens'],
    ['refusal', 'failed', 'refusal'],
    ['end_turn', 'completed', 'ended'],
  ])('derives from the last answer’s stop reason %s that the run was %s', (finish, status, terminationReason) => {
    const last = modelSpan(2, 10, { attributes: { 'gen_ai.response.finish_reasons': [finish] } });
    expect(only(agentSpan(), last)).toMatchObject({ status, terminationReason, verification: { outcome: 'none' } });
  });

  it('reports the failure of the agent’s span, and a cancelled agent as aborted', () => {
    const failed = (type: string) => agentSpan({ failed: 'it broke', attributes: { 'error.type': type } });
    expect(only(failed('PlanError'))).toMatchObject({ status: 'failed', errorCategory: 'PlanError' });
    expect(only(failed('CancelledError'))).toMatchObject({ status: 'aborted', terminationReason: 'interrupted' });
  });

  it('merges sub-agents into the agent above them and counts only that agent’s turns', () => {
    const report = only(
      agentSpan(),
      modelSpan(2, 10),
      toolSpan(3, 20, 'agent', { subagent_type: 'reader' }),
      agentSpan({ id: 4, parent: 3, from: 21, attributes: { 'gen_ai.conversation.id': 'another' } }),
      modelSpan(5, 22, { parent: 4 }),
      toolSpan(6, 23, 'bash', { command: 'ls' }, { parent: 4, failed: 'error: no' }),
      modelSpan(7, 30, { parent: 1 }),
      // the same request once more, seen by the client library
      modelSpan(8, 31, { parent: 7 }),
    );
    expect(report).toMatchObject({ sessionId: 'conversation-1', turnCount: 2 });
    expect(report?.toolCalls.map(({ name, ok }) => [name, ok])).toEqual([
      ['agent', true],
      ['bash', false],
    ]);
  });

  it('separates two agents of one trace', () => {
    const { reports } = derive(
      { id: 9, name: 'evaluate' },
      agentSpan({ parent: 9 }),
      toolSpan(3, 30, 'bash', { command: 'ls' }),
      agentSpan({ id: 4, parent: 9, from: 6_000, attributes: { 'gen_ai.conversation.id': 'conversation-2' } }),
      toolSpan(5, 6_001, 'bash', { command: 'pwd' }, { parent: 4 }),
    );
    expect(reports.map(({ sessionId, toolCalls }) => [sessionId, toolCalls[0]?.action])).toEqual([
      ['conversation-1', 'ls'],
      ['conversation-2', 'pwd'],
    ]);
  });

  it('accepts an evaluator’s verdict, and no score with an unknown scale', () => {
    const evaluated = (attributes: object) =>
      only(agentSpan({ events: [{ name: 'gen_ai.evaluation.result', attributes: { ...attributes } }] }))?.verification;
    const label = 'gen_ai.evaluation.score.label';
    expect(evaluated({ [label]: 'pass' })).toEqual({ outcome: 'succeeded', source: 'evaluator' });
    expect(evaluated({ [label]: 'fail' })).toEqual({ outcome: 'failed', source: 'evaluator' });
    expect(evaluated({ [label]: 'rather good' })).toEqual({ outcome: 'none' });
    expect(evaluated({ 'gen_ai.evaluation.score.value': 0.97 })).toEqual({ outcome: 'none' });
  });

  it('gives one task one hash under every convention, and keeps no word of it', () => {
    const messages = (text: string) => JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: text }] }]);
    const asked = [
      agentSpan({ attributes: { 'gen_ai.input.messages': messages('Close the  books') } }),
      agentSpan({ attributes: { user_prompt: 'close the books' } }),
      agentSpan({ attributes: { 'gen_ai.prompt.0.content': 'Close the books' } }),
      agentSpan({ events: [{ name: 'gen_ai.user.message', attributes: { content: 'Close the books' } }] }),
    ].map((span) => only(span));
    expect(new Set(asked.map((report) => report?.taskId)).size).toBe(1);
    expect(JSON.stringify(asked)).not.toMatch(/books/i);
    const unknownTask = only(agentSpan({ attributes: { user_prompt: '<REDACTED>' } }));
    expect(unknownTask?.taskId).toBe(only(agentSpan())?.taskId);
    expect(unknownTask?.taskId).not.toBe(asked[0]?.taskId);
  });

  it.each([
    [
      'OpenInference',
      'openinference.span.kind',
      ['AGENT', 'TOOL', 'LLM'],
      { 'tool.name': 'bash', 'input.value': '{"command":"ls -a"}' },
    ],
    [
      'OpenLLMetry',
      'traceloop.span.kind',
      ['workflow', 'tool', 'llm'],
      { 'traceloop.entity.name': 'bash', 'traceloop.entity.input': '{"command":"ls -a"}' },
    ],
    [
      'the names of 2024',
      'gen_ai.operation.name',
      ['invoke_agent', 'execute_tool', 'text_completion'],
      { 'gen_ai.tool.name': 'bash', 'gen_ai.tool.call.arguments': { command: 'ls -a' } },
    ],
  ])('reads the spans of %s', (_name, attribute, [agent, tool, model], call) => {
    const report = only(
      { id: 1, attributes: { [attribute]: agent }, to: 100 },
      {
        id: 2,
        parent: 1,
        from: 1,
        attributes: { [attribute]: model, 'gen_ai.request.model': 'a-model', 'gen_ai.system': 'x' },
      },
      { id: 3, parent: 1, from: 20, attributes: { [attribute]: tool, ...call } },
    );
    expect(report).toMatchObject({ model: 'a-model', turnCount: 1, toolCalls: [{ name: 'bash', action: 'ls -a' }] });
  });

  it('accepts cyclic parents, spans without an agent, and duplicate spans', () => {
    const circle = [toolSpan(2, 1, 'bash', {}, { parent: 3 }), toolSpan(3, 2, 'bash', {}, { parent: 2 })];
    expect(derive(...circle)).toMatchObject({ reports: [], omitted: [{ count: 2 }] });
    expect(derive(...PYTHON_RUN, ...PYTHON_RUN).reports).toEqual(derive(...PYTHON_RUN).reports);
  });

  it('reads a file with one export per line, and one export over many lines', () => {
    const [first, ...rest] = PYTHON_RUN;
    const lines = [[first], rest].map((spans) => JSON.stringify(otlp(spans.flatMap((span) => span ?? []))));
    const pretty = JSON.stringify(otlp(PYTHON_RUN), null, 2).split('\n');
    expect(otelImporter.derive(lines).reports).toEqual(otelImporter.derive(pretty).reports);
    expect(otelImporter.derive(pretty)).toMatchObject({ reports: [{}], counts: { badLines: 0 } });
    expect(otelImporter.derive(['nothing', '5', '{"resourceSpans":7}']).counts.badLines).toBe(3);
    expect(otelImporter.derive([JSON.stringify(otlp([agentSpan()], { trace: traceId(2) }))]).reports).toHaveLength(1);
  });
});
