import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';

describe('the consolidation of a session memory, on the command line', () => {
  let program: CommandLine;
  let app: TestApplication;

  beforeAll(async () => {
    program = await CommandLine.create();
    app = await startTestApplication({ GUILDBOOK_CONSOLIDATION_CRON: 'off', GUILDBOOK_UPKEEP_CRON: 'off' });
  });
  afterAll(async () => {
    await app.close();
    await program.remove();
  });

  const consolidate = async (...args: string[]): Promise<string> => {
    const given = { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken };
    const { code, stdout, stderr } = await program.run(['consolidate', ...args], given);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };

  it('is tried, done, shown by project and undone', async () => {
    const { client } = await app.agent('shop-bot', 'Ada');
    for (const sessionId of ['s1', 's2', 's3'])
      await client.sessionMemory.save({ kind: 'fact', content: 'The vault is blue.', sessionId, project: 'shop' });
    const remembered = async () =>
      (await client.sessionMemory.recall({ query: 'vault', project: 'shop' })).items.length;

    const before = await remembered();
    await consolidate('--agent', 'shop-bot', '--dry-run');
    expect(await remembered()).toBe(before);

    const done = await consolidate('--agent', 'shop-bot');
    const [run] = (await app.admin.consolidation.list({})).items;
    expect(done).toContain(run?.id.slice(0, 8));
    expect(await remembered()).toBe(1);
    expect(await consolidate('list')).toContain('shop-bot');
    const shown = await consolidate('show', run?.id.slice(0, 8) ?? '');
    expect(shown).toContain('shop');
    expect(shown).toMatch(/say the same/);

    expect(await consolidate('undo', run?.id.slice(0, 8) ?? '')).toMatch(/2 entries/);
    expect(await remembered()).toBe(before);
  });
});
