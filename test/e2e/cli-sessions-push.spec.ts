import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSessionMemory } from '../../src/session-stores/sessions.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';

let program: CommandLine;
let app: TestApplication;
let place: string;

beforeAll(async () => {
  program = await CommandLine.create();
  app = await startTestApplication();
  place = await realpath(await mkdtemp(join(tmpdir(), 'guildbook-push-')));
});
afterAll(async () => {
  await app.close();
  await program.remove();
  await rm(place, { recursive: true, force: true });
});

describe('guildbook sessions push', () => {
  it('sends a folder once, and what a person edited in it as the person’s, to an agent of the person', async () => {
    const { token } = await app.person('Rosa', {});
    const { client } = await app.agent('build-bot', 'Rosa');
    const folder = join(place, '.guildbook');
    const memory = await openSessionMemory({ folder, project: 'shop', agent: 'build-bot', session: 'run-1' });
    await memory.save({ kind: 'fact', content: 'fixtures live in testdata/' });
    await memory.save({ kind: 'decision', content: 'use python3' });
    await memory.save({ kind: 'preference', content: 'no emoji', provenance: { by: 'person', name: 'Ada' } });
    await memory.close({ asked: 'tidy up' });
    const push = async () => {
      const args = ['--json', 'sessions', 'push', '--folder', folder, '--agent', 'build-bot'];
      const { code, stdout, stderr } = await program.run(args, { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: token });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout);
    };
    expect(await push()).toEqual({ agent: 'build-bot', sessions: 1, added: 4, edited: 0, known: 0, ended: 0 });
    expect(await push()).toMatchObject({ added: 0, known: 4 });

    const [name = ''] = await readdir(join(folder, 'sessions'));
    const file = join(folder, 'sessions', name);
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('- fixtures live in testdata/', '- fixtures live in golden/'),
    );
    expect(await push()).toMatchObject({ added: 0, edited: 1, known: 3 });
    const { items } = await client.sessionMemory.read('run-1');
    expect(items.find(({ kind }) => kind === 'fact')).toMatchObject({
      content: 'fixtures live in golden/',
      project: 'shop',
      provenance: { by: 'person', name: 'Rosa' },
    });
    expect(items.map(({ kind, provenance }) => [kind, provenance])).toEqual(
      expect.arrayContaining([
        ['decision', { by: 'agent', name: 'build-bot' }],
        // The file names another person; the credential is Rosa's.
        ['preference', { by: 'person', name: 'Rosa' }],
        ['session-summary', { by: 'session', name: 'rules' }],
      ]),
    );
    expect(items).toHaveLength(4);
  });
});
