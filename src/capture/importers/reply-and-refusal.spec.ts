import { describe, expect, it } from '@jest/globals';
import { atifImporter } from '../trajectories/atif.importer.js';
import { claudeCodeImporter } from './claude-code.importer.js';
import { codexImporter } from './codex.importer.js';
import type { TranscriptImporter } from './importer.js';

const at = (second: number): string => `2026-01-05T09:00:0${second}.000Z`;
const lines = (records: readonly object[]): string[] => records.map((record) => JSON.stringify(record));
const callsIn = (importer: TranscriptImporter, given: readonly string[]) =>
  importer.derive(given).reports[0]?.toolCalls.map(({ name, reply, ran }) => ({ name, ...reply, ran }));

const use = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
const claudeCode = (...records: object[]): string[] =>
  lines(records.map((record, n) => ({ sessionId: 's', cwd: '/srv/shop', timestamp: at(n), ...record })));
const answer = (id: string, ...content: object[]) => ({ type: 'assistant', message: { id, content } });
const result = (id: string, content: string, more: object = {}) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: content !== 'ok' }] },
  ...more,
});

describe('the reply that a call belongs to', () => {
  it('is one message of Claude Code, however many records it was split into', () => {
    const given = claudeCode(
      answer('m', use('a', 'Read')),
      answer('m', use('b', 'Grep')),
      result('a', 'ok'),
      result('b', 'ok'),
      answer('n', use('c', 'Glob')),
      result('c', 'ok'),
    );
    expect(callsIn(claudeCodeImporter, given)).toEqual([
      { name: 'Read', position: 1, calls: 2, ran: true },
      { name: 'Grep', position: 2, calls: 2, ran: true },
      { name: 'Glob', position: 1, calls: 1, ran: true },
    ]);
  });

  it('ends in a Codex rollout with an output', () => {
    const item = (payload: object, n: number) => ({ timestamp: at(n), type: 'response_item', payload });
    const call = (id: string) => ({ type: 'function_call', name: id, arguments: '{}', call_id: id });
    const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' });
    const given = lines([call('a'), call('b'), output('a'), output('b'), call('c'), output('c')].map(item));
    expect(callsIn(codexImporter, given)).toMatchObject([
      { name: 'a', position: 1, calls: 2 },
      { name: 'b', position: 2, calls: 2 },
      { name: 'c', position: 1, calls: 1 },
    ]);
  });

  it('is one step of an ATIF trajectory, with the calls that have no result', () => {
    const tools = ['a', 'b'].map((name) => ({ tool_call_id: name, function_name: name, arguments: {} }));
    const results = [{ source_call_id: 'b', content: 'ok' }];
    const step = { source: 'agent', timestamp: at(0), tool_calls: tools, observation: { results } };
    const given = [JSON.stringify({ schema_version: 'ATIF-v1.7', steps: [step] })];
    expect(callsIn(atifImporter, given)).toMatchObject([{ name: 'b', position: 2, calls: 2 }]);
  });
});

describe('a call that never ran', () => {
  it('is marked if the record says that it was refused', () => {
    const given = claudeCode(
      answer('m', use('a', 'Edit')),
      result('a', 'no', { toolDenialKind: 'user-rejected' }),
      answer('n', use('b', 'Edit')),
      result('b', "The user doesn't want to proceed with this tool use."),
      answer('o', use('c', 'Edit')),
      result('c', 'String to replace not found in file.'),
    );
    expect(callsIn(claudeCodeImporter, given)?.map(({ ran }) => ran)).toEqual([false, false, undefined]);
  });
});

it('a Codex rollout names its repository and version', () => {
  const git = { repository_url: 'git@git.example.com:acme/shop.git' };
  const payload = { id: 's', cwd: '/Users/jo/shop', cli_version: '0.169.0', git };
  const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] };
  const given = lines([
    { timestamp: at(0), type: 'session_meta', payload },
    { timestamp: at(1), type: 'response_item', payload: message },
  ]);
  expect(codexImporter.derive(given).reports[0]?.environment).toEqual({
    harness: 'codex',
    harnessVersion: '0.169.0',
    operatingSystem: 'macOS',
    project: 'shop',
    repository: 'acme/shop',
  });
});
