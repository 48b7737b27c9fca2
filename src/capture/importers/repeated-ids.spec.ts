import { describe, expect, it } from '@jest/globals';
import { atifImporter } from '../trajectories/atif.importer.js';
import { claudeCodeImporter } from './claude-code.importer.js';

const SECOND = 1_000;
const at = (n: number) => new Date(Date.parse('2026-01-05T09:00:00.000Z') + n * SECOND).toISOString();
const COMMANDS = ['make test', 'make deps', 'make test'];

/** A session on a relay that gives every message and every call one id. */
const relayed = (more: object = {}): string[] =>
  COMMANDS.flatMap((command, n) => [
    {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: 'call', name: 'Bash', input: { command } }] },
    },
    {
      type: 'user',
      message: {
        content: [{ type: 'tool_result', tool_use_id: 'call', is_error: n === 0, content: n === 0 ? 'Error: no' : '' }],
      },
    },
  ]).map((record, n) => JSON.stringify({ ...record, sessionId: 's', uuid: `u${n}`, timestamp: at(n), ...more }));

describe('a session of Claude Code on a relay that gives every message and call one id', () => {
  it('has each call with its own result, each in its own reply', () => {
    const [report] = claudeCodeImporter.derive(relayed()).reports;
    expect(report?.toolCalls.map(({ action, ok, reply }) => [action, ok, reply])).toEqual([
      ['make test', false, { position: 1, calls: 1 }],
      ['make deps', true, { position: 1, calls: 1 }],
      ['make test', true, { position: 1, calls: 1 }],
    ]);
    expect(report?.turnCount).toBe(3);
  });

  it('counts once in a file that repeats its records and goes on', () => {
    const again = relayed({ timestamp: at(90) }).map((line) => line.replace(/"u(\d)"/, '"v$1"'));
    const { reports, omitted } = claudeCodeImporter.derive([...relayed(), ...relayed(), ...again]);
    expect(reports[0]?.toolCalls.map(({ action }) => action)).toEqual([...COMMANDS, 'make test', 'make deps']);
    expect(omitted).toContainEqual({ reason: 'duplicate tool call', count: 4 });
  });

  it('gives results of calls in one reply in their order, and none to a call of an earlier reply', () => {
    const use = (command: string) => ({ type: 'tool_use', id: 'call', name: 'Bash', input: { command } });
    const result = (failed: boolean) => ({
      type: 'tool_result',
      tool_use_id: 'call',
      is_error: failed,
      content: 'Error: x',
    });
    const records = [
      { type: 'assistant', message: { id: 'm1', content: [use('sleep 9')] } },
      { type: 'assistant', message: { id: 'm2', content: [use('make a'), use('make b')] } },
      { type: 'user', message: { content: [result(true), result(false), result(false)] } },
    ];
    const lines = records.map((record, n) =>
      JSON.stringify({ ...record, sessionId: 's', uuid: `u${n}`, timestamp: at(n) }),
    );
    expect(claudeCodeImporter.derive(lines).reports[0]?.toolCalls).toMatchObject([
      { action: 'make a', ok: false },
      { action: 'make b', ok: true },
    ]);
  });
});

it('a step of ATIF whose calls have one id gives each its own result', () => {
  const document = {
    schema_version: 'ATIF-v1.7',
    session_id: 's',
    steps: [
      { source: 'user', message: 'Build', timestamp: at(0) },
      {
        source: 'agent',
        timestamp: at(1),
        tool_calls: ['make a', 'make b'].map((command) => ({
          tool_call_id: 'c',
          function_name: 'bash',
          arguments: { command },
        })),
        observation: {
          results: [
            { source_call_id: 'c', content: 'no', extra: { exit_code: 2 } },
            { source_call_id: 'c', content: 'ok', extra: { exit_code: 0 } },
          ],
        },
      },
    ],
  };
  expect(atifImporter.derive([JSON.stringify(document)]).reports[0]?.toolCalls).toMatchObject([
    { action: 'make a', ok: false },
    { action: 'make b', ok: true },
  ]);
});
