import { expect, it } from '@jest/globals';
import { claudeCodeImporter } from './claude-code.importer.js';

const AT = '2026-01-05T09:00:00.000Z';

/** A session that makes a call of each id. */
const linesOf = (sessionId: string, ids: readonly string[]): string[] =>
  ids
    .flatMap((id) => [
      {
        type: 'assistant',
        message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name: 'Bash', input: { command: id } }] },
      },
      { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] } },
    ])
    .map((record, n) => JSON.stringify({ ...record, sessionId, uuid: `${sessionId}-${n}`, timestamp: AT }));

it('a forked session does not repeat the calls of the session that it was forked from, in any of its files', () => {
  const seenToolUses = new Map<string, string>();
  claudeCodeImporter.derive(linesOf('s', ['ls', 'make']), { seenToolUses });
  for (const _again of [1, 2]) {
    const fork = claudeCodeImporter.derive(linesOf('a-fork', ['ls', 'make', 'env']), { seenToolUses });
    expect(fork.reports[0]?.toolCalls.map((call) => call.action)).toEqual(['env']);
    expect(fork.omitted).toEqual([{ reason: 'duplicate tool call', count: 2 }]);
  }
});

it('a second file of a session gives the same execution, and a longer one all calls of the session', () => {
  const seenToolUses = new Map<string, string>();
  const derive = (...ids: string[]) => claudeCodeImporter.derive(linesOf('s', ids), { seenToolUses });
  const first = derive('ls', 'make');
  expect(derive('ls', 'make')).toEqual(first);
  expect(derive('ls', 'make', 'env').reports[0]?.toolCalls).toHaveLength(3);
});
