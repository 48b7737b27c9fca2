import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { FOREIGN_FORMATS, type Session } from '../support/foreign-sessions.js';

let app: TestApplication;
let program: CommandLine;

beforeAll(async () => {
  program = await CommandLine.create();
  app = await startTestApplication();
});
afterAll(async () => {
  await app.close();
  await program.remove();
});

const codex = FOREIGN_FORMATS.find(({ importer }) => importer.format === 'codex');
const session = (id: string): Session => ({
  id,
  task: `Close the books ${id}`,
  steps: [{ tool: 'Bash', input: { command: `python3 close.py ${id}` }, output: 'done' }],
  answer: 'Closed',
  end: 'normal',
});

async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

describe('an import of what a connected program keeps on this machine', () => {
  const rollout = (folder: string, id: string) =>
    write(join(program.folder, folder, `rollout-${id}.jsonl`), (codex?.lines(session(id)) ?? []).join('\n'));
  const agentsOf = async (path: string, ...options: string[]): Promise<unknown> => {
    const run = await program.run(['import', '--json', ...options, path], {
      GUILDBOOK_SERVER: app.url,
      GUILDBOOK_TOKEN: app.adminToken,
    });
    return JSON.parse(run.stdout).agents;
  };

  it('is of the agent that reports its next sessions, and only of the caller', async () => {
    const own = await rollout('home/.codex/sessions', 'one');
    const copied = await rollout('copied', 'two');
    const [project] = z.array(z.string()).parse(await agentsOf(own));
    expect(project).not.toContain('/codex');

    const { principal, token } = await app.admin.agents.own({ product: 'codex' });
    const settings = join(program.folder, 'config/guildbook/codex.conf');
    await write(settings, `# by guildbook connect\nserver=${app.url}\ntoken=${token}\n`);
    expect(await agentsOf(await rollout('home/.codex/sessions', 'three'))).toEqual([principal.name]);
    expect(await agentsOf(copied)).toEqual([project]);
    expect(await agentsOf(await rollout('home/.codex/sessions', 'four'), '--agent', 'a-bot')).toEqual(['a-bot']);

    const other = await (await app.person('Olga', {})).client.agents.own({ product: 'codex' });
    await write(settings, `server=${app.url}\ntoken=${other.token}\n`);
    expect(await agentsOf(await rollout('home/.codex/sessions', 'five'))).toEqual([project]);
  });
});
