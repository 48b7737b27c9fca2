import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LessonFileSync } from '../../src/propose/lessons/lesson-file-sync.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { report } from '../support/reports.js';

let app: TestApplication;
let folder: string;
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'guildbook-lessons-')), 'lessons');
  app = await startTestApplication({ GUILDBOOK_SKILL_MD_DIRECTORY: folder });
});
afterAll(async () => {
  await app.close();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

/** Names in an agent's folder after a synchronisation. */
async function namesOf(agentId: string): Promise<string[]> {
  const files = app.app.get(LessonFileSync);
  files.wake();
  await files.idle();
  return readdir(join(folder, agentId)).catch(() => []);
}

describe('lessons as files', () => {
  it('a live lesson is a file in the folder of its agent, and other files are left alone', async () => {
    const { client, id } = await app.agent('Ada');
    await client.executions.report(report({ executionId: 'first', sessionId: 'one' }));
    await app.settled();
    const [name = '', ...others] = await namesOf(id);
    expect(others).toEqual([]);
    const file = join(folder, id, name, 'SKILL.md');
    const text = await readFile(file, 'utf8');
    const { items } = await app.admin.lessons({ agent: id });
    expect(text).toContain(`guildbook/lesson: "${items[0]?.id}"`);
    expect(text).toContain('guildbook/provenance: "unverified"');
    expect((await stat(join(folder, id))).mode & 0o077).toBe(0);

    await writeFile(join(folder, id, 'a-note.md'), 'mine');
    const lesson = items[0]?.id ?? '';
    await app.admin.lesson.verify(lesson, { provenance: 'verified', reason: 'seen it work' });
    await namesOf(id);
    expect(await readFile(file, 'utf8')).toContain('guildbook/provenance: "verified"');
    await app.admin.lesson.retire(lesson, 'no longer so');
    expect(await namesOf(id)).toEqual(['a-note.md']);
  });

  it('files of lessons that ended while the server was down are removed, and missing files are written', async () => {
    const { client, id } = await app.agent('Grace');
    await client.executions.report(report({ executionId: 'second', sessionId: 'two' }));
    await app.settled();
    const [name = ''] = await namesOf(id);
    const stale = `gone-${'0'.repeat(16)}`;
    await rm(join(folder, id, name), { recursive: true });
    await writeFile(join(folder, 'readme.md'), 'mine');
    await mkdir(join(folder, id, stale));
    app.clock.advance(2 * 3_600_000);
    expect(await namesOf(id)).toEqual([name]);
    expect(await readdir(folder)).toContain('readme.md');
  });
});
