import { describe, expect, it } from '@jest/globals';
import { openHandsV0Importer } from './openhands-v0.importer.js';
import { openHandsV1Importer } from './openhands-v1.importer.js';

const at = (second: number): string => `2026-03-31T18:00:${String(second).padStart(2, '0')}.000000`;
const user = { id: 0, timestamp: at(0), source: 'user', action: 'message', args: { content: 'PRIVATE' } };
const run = (id: number, command: string) => ({
  id,
  timestamp: at(id),
  source: 'agent',
  action: 'run',
  args: { command, thought: 'PRIVATE', blocking: false },
});
const ran = (id: number, cause: number, content: string, extras: object) => ({
  id,
  timestamp: at(id),
  source: 'agent',
  observation: 'run',
  cause,
  content,
  extras,
});
const finish = { id: 50, timestamp: at(50), source: 'agent', action: 'finish', args: { final_thought: 'PRIVATE' } };

describe('a run of OpenHands 0', () => {
  const only = (records: readonly unknown[]) => {
    const { reports } = openHandsV0Importer.derive([JSON.stringify(records)], { sessionHint: 'a' });
    expect(reports).toHaveLength(1);
    expect(JSON.stringify(reports)).not.toContain('PRIVATE');
    return { report: reports[0], calls: reports[0]?.toolCalls ?? [] };
  };

  it('has the exit code of each command, at either place, and no result of one that still runs', () => {
    const { calls, report } = only([
      user,
      ...[run(1, 'make a'), ran(2, 1, 'make: *** [a] Error 1', { exit_code: 2 })],
      ...[
        run(3, 'make b'),
        ran(4, 3, 'PRIVATE', { metadata: { exit_code: 0, username: 'PRIVATE', working_dir: '/workspace' } }),
      ],
      ...[run(5, 'make c'), ran(6, 5, 'PRIVATE', { metadata: { exit_code: -1 } })],
      finish,
    ]);
    expect(calls.map(({ name, action, ok }) => [name, action, ok])).toEqual([
      ['execute_bash', 'make a', false],
      ['execute_bash', 'make b', true],
    ]);
    expect(report).toMatchObject({ status: 'completed', environment: { harness: 'openhands' } });
    expect(report?.environment).not.toHaveProperty('project');
  });

  it('without the calls of a model has the arguments of its actions, but no thought', () => {
    const edit = {
      id: 1,
      timestamp: at(1),
      source: 'agent',
      action: 'edit',
      args: { path: 'a.py', content: 'PRIVATE', thought: 'PRIVATE' },
    };
    const answer = {
      id: 2,
      timestamp: at(2),
      cause: 1,
      observation: 'edit',
      content: 'ERROR:\nNo replacement was performed, old_str `PRIVATE` did not appear',
      extras: {},
    };
    expect(only([user, edit, answer, finish]).calls).toMatchObject([{ name: 'str_replace_editor', ok: false }]);
  });

  it('marks what a person rejected as not run', () => {
    const rejected = {
      id: 2,
      timestamp: at(2),
      cause: 1,
      observation: 'user_rejected',
      content: 'Action has been rejected by the user!',
    };
    expect(only([user, run(1, 'rm a'), rejected, finish]).calls).toMatchObject([{ ok: false, ran: false }]);
  });

  it('is a row of an evaluation, with its instance, its verdict and its error', () => {
    const row = (more: object) => ({
      instance_id: 'acme__shop-7',
      instruction: 'PRIVATE',
      history: [user, run(1, 'ls'), ran(2, 1, 'a', { exit_code: 0 })],
      ...more,
    });
    const rows = [
      row({
        report: { resolved: true },
        test_result: { git_patch: 'PRIVATE' },
        metadata: { llm_config: { model: 'm-1', api_key: 'PRIVATE' } },
      }),
      row({
        instance_id: 'acme__shop-8',
        test_result: { report: { resolved: false } },
        error: 'Agent reached maximum iteration',
        history: [
          [user, {}],
          [run(1, 'ls'), ran(2, 1, 'a', { exit_code: 0 })],
        ],
      }),
      row({ instance_id: 'acme__shop-9', history: [], error: 'STATUS$ERROR_LLM_SERVICE_UNAVAILABLE' }),
    ];
    const context = { recordedAt: '2026-03-31T18:00:00.000Z' };
    const { reports, counts, omitted } = openHandsV0Importer.derive(
      [...rows.map((one) => JSON.stringify(one)), '{"a'],
      context,
    );
    expect(
      reports.map(({ verification, status, environment }) => [verification.outcome, status, environment?.repository]),
    ).toEqual([
      ['succeeded', 'aborted', 'acme/shop'],
      ['failed', 'aborted', 'acme/shop'],
    ]);
    expect(reports[0]?.model).toBe('m-1');
    expect(reports[1]?.terminationReason).toBe('max_iterations');
    expect(counts.badLines).toBe(1);
    expect(omitted).toEqual([
      { reason: 'event that is no readable record', count: 1 },
      { reason: 'no turns', count: 1 },
      { reason: 'place where records were lost', count: 1 },
    ]);
    expect(JSON.stringify(reports)).not.toContain('PRIVATE');
  });
});

describe('a conversation of OpenHands 1', () => {
  let n = 0;
  const event = (kind: string, fields: object) => {
    n += 1;
    return { id: `e-${n}`, timestamp: at(n % 60), source: 'agent', ...fields, kind };
  };
  const asks = (id: string, name: string, args: object, more: object = {}) =>
    event('ActionEvent', {
      id,
      tool_name: name,
      tool_call_id: `call-${id}`,
      tool_call: { arguments: JSON.stringify(args) },
      llm_response_id: 'r',
      ...more,
    });
  const answers = (action_id: string, observation: object) =>
    event('ObservationEvent', { action_id, tool_name: 'terminal', tool_call_id: 'x', observation });
  const only = (records: readonly object[]) => {
    const { reports } = openHandsV1Importer.derive(
      records.map((record) => JSON.stringify(record)),
      { sessionHint: 'events' },
    );
    expect(reports).toHaveLength(1);
    return { report: reports[0], calls: reports[0]?.toolCalls ?? [] };
  };

  it('has the calls of one reply together, and each result by its action', () => {
    const { calls } = only([
      asks('a', 'terminal', { command: 'make a', summary: 'PRIVATE', security_risk: 'LOW' }),
      asks('b', 'terminal', { command: 'make b' }),
      answers('b', { content: [{ type: 'text', text: 'ok' }], is_error: false, exit_code: 0 }),
      answers('a', {
        content: [{ type: 'text', text: 'ValueError: bad month' }],
        is_error: false,
        exit_code: null,
        metadata: { exit_code: 1 },
      }),
    ]);
    expect(calls.map(({ action, ok, reply }) => [action, ok, reply])).toEqual([
      ['make a', false, { position: 1, calls: 2 }],
      ['make b', true, { position: 2, calls: 2 }],
    ]);
    expect(JSON.stringify(calls)).not.toContain('PRIVATE');
  });

  it('has an error of the harness at its call, and marks what was rejected as not run', () => {
    const { calls, report } = only([
      asks('a', 'terminal', { command: 'ls' }),
      event('AgentErrorEvent', {
        tool_name: 'terminal',
        tool_call_id: 'call-a',
        error: 'Error validating args: missing field',
      }),
      asks('b', 'terminal', { command: 'rm a' }),
      event('UserRejectObservation', {
        action_id: 'b',
        tool_call_id: 'call-b',
        tool_name: 'terminal',
        rejection_reason: 'no',
      }),
      asks('c', 'terminal', { command: 'sleep 99' }),
      answers('c', { content: [], is_error: false, exit_code: -1, timeout: true }),
      asks('d', 'finish', { message: 'PRIVATE' }),
    ]);
    expect(calls).toMatchObject([
      { action: 'ls', ok: false },
      { action: 'rm a', ok: false, ran: false },
    ]);
    expect(report).toMatchObject({ status: 'completed', turnCount: 1 });
  });

  it.each([
    ['stuck', { status: 'failed', terminationReason: 'stuck' }],
    ['paused', { status: 'aborted', terminationReason: 'interrupted' }],
    ['finished', { status: 'completed' }],
    ['running', { status: 'aborted', terminationReason: 'unfinished' }],
  ])('ends as its state says: %s', (value, expected) => {
    const work = [
      asks('a', 'terminal', { command: 'ls' }),
      answers('a', { content: [], is_error: false, exit_code: 0 }),
    ];
    const state = {
      id: 'c-1',
      agent: { llm: { model: 'm-1', api_key: 'PRIVATE' } },
      workspace: { working_dir: '/srv/shop' },
      execution_status: value,
    };
    const update = { ...event('ConversationStateUpdateEvent', { key: 'execution_status', value }), id: 'u' };
    for (const records of [
      [state, ...work],
      [...work, update],
    ])
      expect(only(records).report).toMatchObject(expected);
    expect(only([state, ...work]).report).toMatchObject({
      sessionId: 'c-1',
      model: 'm-1',
      environment: { project: 'shop' },
    });
  });

  it('without its state is distinguished by its first event', () => {
    const [one, two] = ['a', 'b'].map((id) => only([asks(id, 'terminal', { command: 'ls' })]).report);
    expect(one?.sessionId).not.toBe(two?.sessionId);
  });

  it('has the calls of an agent behind the Agent Client Protocol, each once', () => {
    const call = (status: string, more: object = {}) =>
      event('ACPToolCallEvent', { tool_call_id: 'c', title: 'Run', status, raw_input: { command: 'make' }, ...more });
    const { calls } = only([call('pending'), call('in_progress'), call('failed', { raw_output: 'make: *** no rule' })]);
    expect(calls).toMatchObject([{ name: 'bash', action: 'make', ok: false }]);
  });
});
