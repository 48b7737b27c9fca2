import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transcriptFiles } from '../sources/transcript-files.js';
import { TranscriptReader } from './transcripts.js';

const SESSION = '5d0c8a3e-52a4-4b8a-9a55-1f6b7f6d2c11';

/** A session with a prompt, a failing command and a working one. `own` holds fields for every record. */
function session(command: string, error: string, own: Record<string, unknown> = {}): string {
  const turn = (id: string, input: unknown) => ({
    type: 'assistant',
    message: { id: `m-${id}`, model: 'a-model', content: [{ type: 'tool_use', id, name: 'Bash', input }] },
  });
  const result = (id: string, content: string, failed: boolean) => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: failed }] },
  });
  const ids = [`${own['uuid'] ?? ''}a`, `${own['uuid'] ?? ''}b`];
  return [
    { type: 'user', message: { role: 'user', content: 'Sell the orchard of aunt Mildred' } },
    turn(ids[0] ?? '', { command }),
    result(ids[0] ?? '', error, true),
    turn(ids[1] ?? '', { command: 'python3 close.py' }),
    result(ids[1] ?? '', 'the balance is 4711 florins', false),
  ]
    .map((record, n) =>
      JSON.stringify({
        sessionId: SESSION,
        cwd: '/home/mildred/orchard',
        timestamp: `2026-01-05T09:00:0${n}.000Z`,
        ...record,
        ...own,
        uuid: `u-${n}-${own['uuid'] ?? ''}`,
      }),
    )
    .join('\n');
}

describe('transcripts on this machine', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildbook-transcripts-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (name: string, text: string) => {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  const found = async (...paths: string[]) =>
    (await transcriptFiles(paths)).sources.map(({ path }) => relative(folder, path));

  it('are found in a folder, with the files of sub-agents after those of their parents', async () => {
    await write(`b/${SESSION}/subagents/agent-1.jsonl`, '');
    await write(`b/${SESSION}.jsonl`, '');
    await write('a/x.jsonl', '');
    await write('a/notes.md', '');
    expect(await found(folder)).toEqual(['a/x.jsonl', `b/${SESSION}.jsonl`, `b/${SESSION}/subagents/agent-1.jsonl`]);
  });

  it('have the verdict of a file above them that names their folder', async () => {
    const file = await write('shop-17/session.jsonl', session('python close.py', 'no'));
    await write('report.json', JSON.stringify({ resolved_ids: ['shop-17'], unresolved_ids: [] }));
    const { reports } = await new TranscriptReader({ agentPer: 'project' }).read(file);
    expect(reports[0]?.report.verification).toEqual({ outcome: 'succeeded', source: 'test' });
  });

  it('are read once, even if several paths lead to the same file', async () => {
    const file = await write('a/x.jsonl', '');
    await symlink(file, join(folder, 'link.jsonl'));
    expect(await found(folder, join(folder, 'a'), file, join(folder, 'link.jsonl'))).toEqual(['a/x.jsonl']);
  });

  it('are reported by path when the path does not exist', async () => {
    await expect(transcriptFiles([join(folder, 'gone')])).rejects.toThrow('No such file or folder');
  });

  it('become a report without conversation, tool output, home folder or secret', async () => {
    const password = ['hunter', 'blue', '77'].join('-');
    const file = await write(
      'x.jsonl',
      session('python close.py', `SyntaxError: password=${password} in /home/mildred/x`),
    );
    const { reports } = await new TranscriptReader({ agentPer: 'project' }).read(file);
    expect(reports).toHaveLength(1);
    const [sent] = reports;
    expect(sent?.report.toolCalls.map(({ ok }) => ok)).toEqual([false, true]);
    for (const kept of ['Mildred', 'mildred', 'florins', password]) expect(JSON.stringify(reports)).not.toContain(kept);
    expect(JSON.stringify(reports)).toContain('SyntaxError');
  });

  it('become a report within the size limits, even if a marker is longer than the redacted text', async () => {
    const secrets = Array.from({ length: 150 }, (_, n) => `token=${n}a8Kq`).join(' ');
    const file = await write('x.jsonl', session(`deploy ${secrets}`, secrets));
    const { reports, skipped } = await new TranscriptReader({ agentPer: 'project' }).read(file);
    expect(skipped).toEqual([]);
    for (const { action, errorMessage = '' } of reports[0]?.report.toolCalls ?? []) {
      expect(action.length).toBeLessThanOrEqual(1_000);
      expect(errorMessage.length).toBeLessThanOrEqual(2_000);
    }
  });

  it('become the same reports every time', async () => {
    const file = await write('x.jsonl', session('python close.py', 'SyntaxError'));
    const read = async () => (await new TranscriptReader({ agentPer: 'project' }).read(file)).reports;
    expect(await read()).toEqual(await read());
  });

  it('count as one agent for each project, or for each file', async () => {
    const files = [
      await write('orchard/x.jsonl', session('a', 'b', { sessionId: 'x', uuid: 'x' })),
      await write('orchard/y.jsonl', session('a', 'b', { sessionId: 'y', uuid: 'y' })),
    ];
    const agents = async (per: 'project' | 'file') => {
      const reader = new TranscriptReader({ agentPer: per });
      const derived = await Promise.all(files.map((file) => reader.read(file)));
      return new Set(derived.flatMap(({ reports }) => reports.map(({ agent }) => agent)));
    };
    expect((await agents('project')).size).toBe(1);
    expect(await agents('file')).toEqual(new Set(['orchard-x', 'orchard-y']));
  });

  it('link a sub-agent in its own file to the session and agent that started it', async () => {
    const main = await write(`p/${SESSION}.jsonl`, session('a', 'b'));
    const inner = await write(
      `p/${SESSION}/subagents/agent-1.jsonl`,
      session('a', 'b', { isSidechain: true, agentId: '1', uuid: 'inner' }),
    );
    for (const per of ['project', 'file'] as const) {
      const reader = new TranscriptReader({ agentPer: per });
      const [parent] = (await reader.read(main)).reports;
      const [child] = (await reader.read(inner)).reports;
      expect(child?.report.parentExecutionId).toBe(parent?.report.executionId);
      expect(child?.agent).toBe(parent?.agent);
    }
  });

  it('are read without lines that are not objects and without a truncated last line', async () => {
    const whole = session('python close.py', 'SyntaxError');
    const file = await write('x.jsonl', `[1]\n"text"\nnull\n\n${whole}\n${whole.slice(0, 40)}`);
    const { badLines, reports } = await new TranscriptReader({ agentPer: 'project' }).read(file);
    expect({ badLines, reports: reports.length }).toEqual({ badLines: 4, reports: 1 });
  });

  it('are skipped with the reason when they are already deleted', async () => {
    const gone = await new TranscriptReader({ agentPer: 'project' }).read(join(folder, 'gone.jsonl'));
    expect(gone.skipped).toEqual([{ reason: 'unreadable (ENOENT)', count: 1 }]);
  });
});
