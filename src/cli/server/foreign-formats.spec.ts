import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FOREIGN_FORMATS, type Session } from '../../../test/support/foreign-sessions.js';
import { importerFor } from '../../capture/formats/foreign-formats.js';
import { transcriptFiles } from '../sources/transcript-files.js';
import { TranscriptReader } from './transcripts.js';

const SESSION: Session = {
  id: 'session-1',
  task: 'Close the books',
  steps: [{ tool: 'Bash', input: { command: 'python3 close.py' }, output: 'done' }],
  answer: 'Closed',
  end: 'normal',
};

describe('files of other programs', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildbook-formats-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const write = async (name: string, text: string) => {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  const reader = (agentPer: 'project' | 'file' = 'project', agent?: string) =>
    new TranscriptReader({ agentPer, agent });

  it.each(FOREIGN_FORMATS.map((format) => [format.importer.format, format] as const))(
    'are recognised as %s by their content',
    async (name, { lines }) => {
      const text = lines(SESSION);
      expect(importerFor(undefined, text)?.format).toBe(name);
      expect(importerFor(undefined, ['no JSON', '[]', ...text])?.format).toBe(name === 'atif' ? undefined : name);
      const { reports, skipped } = await reader().read(await write(`known/${name}.json`, text.join('\n')));
      expect(skipped).toEqual([]);
      expect(reports).toMatchObject([{ report: { toolCalls: [{ action: 'python3 close.py', ok: true }] } }]);
    },
  );

  it('are skipped with a reason when the format is unknown', async () => {
    const file = await write('unknown/package.json', '{"name":"a package","type":"module"}');
    expect(await reader().read(file)).toMatchObject({ reports: [], unreadReason: 'unknown format' });
    expect(await reader().read(await write('unknown/empty.jsonl', ''))).toMatchObject({ unreadReason: 'empty file' });
    expect(importerFor('claude-code', ['{"name":"a package"}'])?.format).toBe('claude-code');
  });

  it('are found by their endings, without the description of a sub-agent', async () => {
    for (const name of ['a.jsonl', 'b.json', 'agent-1.meta.json', 'c.txt']) await write(`found/${name}`, '');
    const names = async (anyFormat: boolean) =>
      (await transcriptFiles([join(folder, 'found')], anyFormat)).sources.map(({ path }) => path.split('/').at(-1));
    expect(await names(true)).toEqual(['a.jsonl', 'b.json']);
    expect(await names(false)).toEqual(['a.jsonl']);
  });

  it('import a Harbor trial as one execution with its reward, and one that never began with its exception', async () => {
    const atif = FOREIGN_FORMATS.find(({ importer }) => importer.format === 'atif');
    const trajectory = (atif?.lines(SESSION) ?? []).join('\n');
    const result = (name: string, more: object) =>
      JSON.stringify({
        trial_name: name,
        task_name: 'books',
        started_at: '2026-03-31T17:00:00Z',
        finished_at: '2026-03-31T19:00:00Z',
        ...more,
      });
    for (const [name, reward] of [
      ['won', 1],
      ['lost', 0],
      ['between', 0.5],
    ] as const) {
      await write(`job/${name}/agent/trajectory.json`, trajectory);
      await write(`job/${name}/result.json`, result(name, { verifier_result: { rewards: { reward } } }));
    }
    const exception = { exception_type: 'DockerError', exception_message: 'no daemon' };
    await write('job/broken/result.json', result('broken', { exception_info: exception, verifier_result: null }));
    const one = reader();
    const files = await transcriptFiles([join(folder, 'job')], true);
    const derived = await Promise.all(files.sources.map((file) => one.read(file)));
    const reports = derived.flatMap((file) => file.reports);
    expect(
      Object.fromEntries(
        reports.map(({ report: { sessionId, verification, qualityScore, status } }) => [
          sessionId,
          [verification.outcome, verification.source, qualityScore, status],
        ]),
      ),
    ).toEqual({
      won: ['succeeded', 'reward', 10, 'completed'],
      lost: ['failed', 'reward', 0, 'completed'],
      between: ['none', undefined, 5, 'completed'],
      broken: ['none', undefined, undefined, 'failed'],
    });
    const broken = reports.find(({ report }) => report.sessionId === 'broken')?.report;
    expect(broken).toMatchObject({ errorCategory: 'DockerError', errorMessage: 'no daemon', toolCalls: [] });
    expect(derived.flatMap(({ unreadReason }) => unreadReason ?? [])).toEqual([]);
    expect(new Set(reports.map(({ agent }) => agent)).size).toBe(1);
  });

  it('count as one agent for each project, for each file, or for all files', async () => {
    const codex = FOREIGN_FORMATS.find(({ importer }) => importer.format === 'codex');
    const files = await Promise.all(
      ['2026/01/rollout-a.jsonl', '2026/02/rollout-b.jsonl'].map((name, n) =>
        write(name, (codex?.lines({ ...SESSION, id: `session-${n}` }) ?? []).join('\n')),
      ),
    );
    const agents = async (one: TranscriptReader) => {
      const derived = await Promise.all(files.map((file) => one.read(file)));
      return new Set(derived.flatMap(({ reports }) => reports.map(({ agent }) => agent)));
    };
    expect([...(await agents(reader('project')))]).toEqual([expect.stringMatching(/^shop-[0-9a-f]{8}$/)]);
    expect((await agents(reader('file'))).size).toBe(2);
    expect([...(await agents(reader('file', 'Ada')))]).toEqual(['Ada']);
  });

  it('link a Codex sub-agent to the execution of the session that started it', async () => {
    const codex = FOREIGN_FORMATS.find(({ importer }) => importer.format === 'codex');
    const [meta = '', ...rest] = codex?.lines({ ...SESSION, id: 'child' }) ?? [];
    const source = { subagent: { thread_spawn: { parent_thread_id: 'session-1' } } };
    const record = JSON.parse(meta);
    const child = [JSON.stringify({ ...record, payload: { ...record.payload, source } }), ...rest].join('\n');
    const one = reader();
    const [parent] = (await one.read(await write('tied/a.jsonl', (codex?.lines(SESSION) ?? []).join('\n')))).reports;
    const [inner] = (await one.read(await write('tied/b.jsonl', child))).reports;
    expect(inner?.report.parentExecutionId).toBe(parent?.report.executionId);
    expect(inner?.report.tags).toContain('sub-agent');
  });
});
