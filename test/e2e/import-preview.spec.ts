import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../support/command-line.js';

const SESSIONS = 23;
const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');

/** A Claude Code transcript with one failed and one successful call. */
function transcript(sessionId: string): string {
  const base = { sessionId, cwd: '/srv/books', timestamp: '2026-03-31T18:00:00.000Z' };
  const call = (n: number, command: string) => ({
    ...base,
    uuid: `${sessionId}-call-${n}`,
    type: 'assistant',
    message: {
      id: `${sessionId}-turn-${n}`,
      model: 'a-model',
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: `${sessionId}-${n}`, name: 'Bash', input: { command } }],
    },
  });
  const answer = (n: number, content: string, isError: boolean) => ({
    ...base,
    uuid: `${sessionId}-answer-${n}`,
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: `${sessionId}-${n}`, is_error: isError, content }] },
  });
  const lines = [
    { ...base, uuid: `${sessionId}-0`, type: 'user', message: { content: `Close the books ${SECRET}` } },
    ...[call(1, 'python close.py'), answer(1, 'SyntaxError: invalid syntax', true)],
    ...[call(2, 'python3 close.py'), answer(2, 'closed', false)],
    {
      ...base,
      uuid: `${sessionId}-end`,
      type: 'assistant',
      message: { id: `${sessionId}-end`, stop_reason: 'end_turn', content: [{ type: 'text', text: 'Done.' }] },
    },
  ];
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

describe('a dry run of an import', () => {
  let program: CommandLine;
  let folder: string;
  beforeAll(async () => {
    program = await CommandLine.create();
    folder = join(program.folder, 'transcripts');
    await mkdir(folder);
    for (let n = 0; n < SESSIONS; n += 1) await writeFile(join(folder, `${n}.jsonl`), transcript(`session-${n}`));
    await writeFile(join(folder, 'list.json'), '[1, 2]');
  });
  afterAll(() => program.remove());

  /** The address is closed: nothing may be sent. */
  const guildbook = async (...args: string[]) => {
    const { code, stdout, stderr } = await program.run(args, { GUILDBOOK_SERVER: 'http://127.0.0.1:9' });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const executionsIn = (output: string): number =>
    output.split('\n').filter((line) => line.includes('session-')).length;

  it('shows what would be reported without a server, and every row with --all', async () => {
    const some = await guildbook('import', '--dry-run', folder);
    expect(some).toContain(
      `${SESSIONS} executions of 1 agent from ${SESSIONS + 1} files would be reported; nothing was sent.`,
    );
    expect([executionsIn(some), some.includes(`and ${SESSIONS - 20} more: --all prints them.`)]).toEqual([20, true]);
    expect(some).toContain('unknown format');
    const all = await guildbook('import', '--dry-run', '--all', folder);
    expect(executionsIn(all)).toBe(SESSIONS);
    expect(all).not.toContain(SECRET);
  });

  it('holds every row as JSON, also of one format', async () => {
    const { executions } = JSON.parse(await guildbook('--json', 'import', 'claude-code', '--dry-run', folder));
    expect(executions).toHaveLength(SESSIONS);
    expect(executions[0]).toMatchObject({ executionId: expect.stringContaining('session-'), calls: 2, failed: 1 });
  });
});
