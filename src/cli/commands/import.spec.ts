import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LineReceipt } from '../../capture/store/executions.schema.js';
import { Guildbook, GuildbookError, NoResponseError } from '../../client/guildbook.js';
import type { SkillList } from '../../skills/catalogue/skills.schema.js';
import { transcriptFiles } from '../sources/transcript-files.js';
import { Interruption, importFiles } from './import.js';
import { needsAttention } from './import-summary.js';

const refusal = (status: number, code: string) =>
  new GuildbookError({ type: 'about:blank', title: 'No', status, code, detail: 'No.' });

describe('an import', () => {
  let folder: string;
  let files: string[];

  beforeEach(async () => {
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    folder = await mkdtemp(join(tmpdir(), 'guildbook-import-'));
    files = ['one', 'two', 'three'].map((name) => join(folder, `${name}.jsonl`));
    for (const [n, file] of files.entries()) await writeFile(file, transcript(`session-${n}`));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  /** A client that answers the n-th batch (from 0) with `answers[n]`, and other reports as new or as `lines` specify. */
  const client = (answers: Record<number, Error> = {}, lines: Record<number, Partial<LineReceipt>> = {}) => {
    const guildbook = new Guildbook({ server: 'http://127.0.0.1:9' });
    const sent: string[][] = [];
    guildbook.executions.reportAll = async (reports, agent = '') => {
      const answer = answers[sent.length];
      const before = sent.flat().length;
      sent.push(reports.map(({ executionId }) => executionId));
      if (answer) throw answer;
      return {
        agent,
        new: 0,
        duplicate: 0,
        refused: 0,
        lines: reports.map((_, n) => ({ line: n + 1, outcome: 'new', ...lines[before + n] })),
      };
    };
    const used: string[] = [];
    // The import reads only the name of a skill.
    guildbook.skills.list = async () => ({ items: [{ name: 'close-the-books' }], total: 1 }) as SkillList;
    guildbook.skills.use = async (skill, { executionId, event, at, outcome = 'unknown' }, agent = '') => {
      const use = `${agent}: ${event} ${skill} in ${executionId}`;
      const duplicate = used.includes(use);
      if (!duplicate) used.push(use);
      return { skill, version: 1, agent, executionId, event, at, outcome, duplicate };
    };
    return { guildbook, sent, used };
  };

  it('sends the reports of one agent in one request, and counts new ones and duplicates', async () => {
    const { guildbook, sent } = client({}, { 1: { outcome: 'duplicate' } });
    expect(await importFiles(guildbook, await transcriptFiles(files), { agentPer: 'project' })).toMatchObject({
      files: 3,
      imported: 3,
      new: 2,
      duplicates: 1,
    });
    expect(sent).toEqual([[expect.any(String), expect.any(String), expect.any(String)]]);
  });

  it('sends the reports of each agent apart', async () => {
    const { guildbook, sent } = client();
    expect(await importFiles(guildbook, await transcriptFiles(files), { agentPer: 'file' })).toMatchObject({
      imported: 3,
    });
    expect(sent).toHaveLength(3);
  });

  it('continues after a report that the server refuses, and counts the reasons', async () => {
    const refused = (code: string) => ({ outcome: 'refused' as const, problem: { code, detail: 'No.', errors: [] } });
    const { guildbook } = client({}, { 0: refused('request.invalid'), 1: refused('execution.content_differs') });
    expect(await importFiles(guildbook, await transcriptFiles(files), { agentPer: 'project' })).toMatchObject({
      imported: 1,
      skipped: { 'refused by the server: request.invalid': 1, 'already reported with different content': 1 },
    });
  });

  it('splits a batch that is too large for the server, down to the report that it refuses', async () => {
    const tooLarge = refusal(413, 'request.too_large');
    const { guildbook, sent } = client({ 0: tooLarge, 1: tooLarge, 3: tooLarge });
    expect(await importFiles(guildbook, await transcriptFiles(files), { agentPer: 'project' })).toMatchObject({
      imported: 2,
      skipped: { 'refused by the server: request.too_large': 1 },
    });
    expect(sent.map(({ length }) => length)).toEqual([3, 2, 1, 1, 1]);
  });

  it('retries with the same executions when a response is lost', async () => {
    const { guildbook, sent } = client({ 1: new NoResponseError('x', 'unreachable', {}) });
    expect(await importFiles(guildbook, await transcriptFiles(files), { agentPer: 'file' })).toMatchObject({
      imported: 3,
    });
    expect(sent[2]).toEqual(sent[1]);
    expect(sent).toHaveLength(4);
  });

  it('reports each use of a skill once, and only of skills that the server publishes', async () => {
    const { guildbook, sent, used } = client();
    const skilled = (skill: string) => transcript(`under-${skill}`, { attributionSkill: skill });
    const own = join(folder, 'own.jsonl');
    await writeFile(own, `${skilled('guildbook-skills:close-the-books')}\n${skilled('my-own-skill')}`);
    expect(await importFiles(guildbook, await transcriptFiles([own]), { agentPer: 'file' })).toMatchObject({
      imported: 2,
      skillUses: 1,
    });
    expect(used).toEqual([`shop-own: applied close-the-books in ${sent[0]?.[0]}`]);
    expect(await importFiles(guildbook, await transcriptFiles([own]), { agentPer: 'file' })).toMatchObject({
      imported: 2,
      skillUses: 0,
      skipped: {},
    });
  });

  it('imports the executions of a service that may not read the list of skills', async () => {
    const { guildbook, used } = client();
    guildbook.skills.list = async () => {
      throw refusal(403, 'access.scope_missing');
    };
    const own = join(folder, 'own.jsonl');
    await writeFile(own, transcript('s', { attributionSkill: 'close-the-books' }));
    expect(await importFiles(guildbook, await transcriptFiles([own]), { agentPer: 'file' })).toMatchObject({
      imported: 1,
      skillUses: 0,
    });
    expect(used).toEqual([]);
  });

  it('says by format what it read and took, and from which other record the server knew a session', async () => {
    const { guildbook } = client(
      {},
      {
        1: { outcome: 'duplicate' },
        2: { outcome: 'duplicate', executionId: 'claude-code-hooks:session-2' },
      },
    );
    await writeFile(join(folder, 'damaged.jsonl'), `${transcript('damaged')}\n{"type": "us`);
    await writeFile(join(folder, 'package.json'), '{"name": "a package"}');
    await writeFile(join(folder, 'server.log'), 'started\nstopped');
    const found = await transcriptFiles([folder], true);
    expect(await importFiles(guildbook, found, { agentPer: 'project' })).toMatchObject({
      files: 5,
      taken: 4,
      new: 2,
      duplicates: 2,
      knownFrom: { 'claude-code-hooks': 1 },
      badLines: 1,
      stopped: false,
      formats: { 'claude-code': { files: 4, new: 2, known: 2, badLines: 1 } },
      refused: { 'unknown format': 1 },
      unreadFiles: [{ file: expect.stringMatching(/package\.json$/), reason: 'unknown format' }],
    });
  });

  it('ends after the file that is read when a signal arrives, with everything sent that was derived', async () => {
    const { guildbook, sent } = client();
    const interruption = new Interruption();
    const found = await transcriptFiles(files);
    const sources = found.sources.map((source, n) => ({
      ...source,
      get kind() {
        if (n === 1) interruption.signal = 'SIGINT';
        return source.kind;
      },
    }));
    const summary = await importFiles(guildbook, { ...found, sources }, { agentPer: 'project' }, {}, interruption);
    expect(summary).toMatchObject({ stopped: true, taken: 2, files: 2 });
    expect(sent.flat()).toHaveLength(2);
    expect(await importFiles(guildbook, found, { agentPer: 'project' })).toMatchObject({ stopped: false, taken: 3 });
  });

  it('sends what one file holds while it is read, and ends between two of its sessions when a signal arrives', async () => {
    const { guildbook, sent } = client();
    const interruption = new Interruption();
    const report = guildbook.executions.reportAll;
    guildbook.executions.reportAll = (...args) => {
      interruption.signal = 'SIGINT';
      return report(...args);
    };
    const many = join(folder, 'many.jsonl');
    const sessions = Array.from({ length: 350 }, (_, n) => transcript(`of-many-${n}`));
    await writeFile(many, sessions.join('\n'));
    const found = await transcriptFiles([many]);
    const summary = await importFiles(guildbook, found, { agentPer: 'project' }, {}, interruption);
    expect(summary).toMatchObject({ stopped: true, files: 1 });
    expect(summary.taken).toBeGreaterThanOrEqual(100);
    expect(summary.taken).toBeLessThan(350);
    expect(sent.flat()).toHaveLength(summary.taken);
    expect(await importFiles(guildbook, found, { agentPer: 'project' })).toMatchObject({ stopped: false, taken: 350 });
  });

  it('loses nothing and takes nothing twice when files vanish and appear while it runs', async () => {
    const { guildbook, sent } = client();
    const found = await transcriptFiles(files);
    await rm(files[1] ?? '');
    const summary = await importFiles(guildbook, found, { agentPer: 'project' });
    expect(summary).toMatchObject({ files: 3, taken: 2, refused: { 'unreadable (ENOENT)': 1 } });
    expect(new Set(sent.flat()).size).toBe(2);
    expect(needsAttention(summary)).toBe(true);
  });

  it.each([
    [{ files: 0, formats: {}, unreadFiles: [] }, false],
    [{ files: 1, formats: {}, unreadFiles: [{ file: 'a', reason: 'unknown format' }] }, true],
    [{ files: 2, formats: { codex: {} }, unreadFiles: [{ file: 'a', reason: 'unknown format' }] }, false],
    [{ files: 2, formats: { codex: {} }, unreadFiles: [{ file: 'a', reason: 'unreadable (EACCES)' }] }, true],
    [{ files: 2, formats: { codex: {} }, unreadFiles: [{ file: 'a', reason: 'changed while it was read' }] }, true],
  ])('needs the attention of a person after %j: %s', (read, needed) => {
    expect(needsAttention(read)).toBe(needed);
  });

  it('stops at an invalid credential, since the next report would fail as well', async () => {
    const { guildbook, sent } = client({ 1: refusal(401, 'access.expired') });
    await expect(importFiles(guildbook, await transcriptFiles(files), { agentPer: 'file' })).rejects.toMatchObject({
      problem: { code: 'access.expired' },
    });
    expect(sent).toHaveLength(2);
  });
});

function transcript(sessionId: string, answer: object = {}): string {
  return [
    { type: 'user', message: { role: 'user', content: `Do ${sessionId}` } },
    {
      type: 'assistant',
      message: { id: sessionId, model: 'a-model', content: [{ type: 'text', text: 'Done.' }] },
      ...answer,
    },
  ]
    .map((record) => JSON.stringify({ ...record, sessionId, timestamp: '2026-01-05T09:00:00.000Z', cwd: '/srv/shop' }))
    .join('\n');
}
