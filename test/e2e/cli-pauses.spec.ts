import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXIT } from '../../src/cli/terminal/cli-error.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';

describe('pauses of deliveries and of the consolidation, on the command line', () => {
  let program: CommandLine;
  let app: TestApplication;

  beforeAll(async () => {
    program = await CommandLine.create();
    app = await startTestApplication();
  });
  afterAll(async () => {
    await app.close();
    await program.remove();
  });

  const runAs = (token: string, ...args: string[]) =>
    program.run(args, { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: token });
  const succeeds = async (token: string, ...args: string[]) => {
    const { code, stdout, stderr } = await runAs(token, ...args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };

  it('are set, listed in the status and ended by a person, by project, by id or all at once', async () => {
    const { token, client } = await app.person('Olga Plain', {});
    expect(await succeeds(token, 'resume')).toBe('Nothing is paused.\n');
    expect(await succeeds(token, 'pause')).toMatch(
      /^Paused: agents of Olga Plain, until it is resumed\. To resume: guildbook resume [0-9a-f]{8}\n$/,
    );
    await succeeds(token, 'pause', '--project', 'shop', '--for', '8');
    await succeeds(token, 'pause', '--session', 'abc-1');
    const status = await succeeds(token, 'status');
    expect(status).toContain('Paused; "guildbook resume" ends it:');
    expect(status).toMatch(/agents of Olga Plain, in project shop, until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(status).toMatch(/agents of Olga Plain, in session abc~[a-z]{32}, until it is resumed/);

    const inShop = (await client.pauses.list()).items.find(({ project }) => project === 'shop');
    expect(await succeeds(token, 'resume', 'shop')).toBe(`Resumed: ${inShop?.id}\n`);
    const [all] = (await client.pauses.list()).items;
    expect(await succeeds(token, 'resume', all?.id.slice(0, 8) ?? '')).toBe(`Resumed: ${all?.id}\n`);
    await succeeds(token, 'resume');
    expect((await client.pauses.list()).items).toEqual([]);
    expect(await succeeds(token, 'status')).not.toContain('Paused');
  });

  it('are set for another person by an administrator, whose own "resume" leaves them', async () => {
    const { token, client } = await app.person('Nina Owner', {});
    expect(await succeeds(app.adminToken, 'pause', '--person', 'Nina Owner')).toContain('agents of Nina Owner');
    expect(await succeeds(app.adminToken, 'resume')).toBe('Nothing is paused.\n');
    expect((await client.pauses.list()).items).toHaveLength(1);
    expect(await succeeds(token, 'resume')).toContain('Resumed: ');
  });

  it('of the consolidation are set, listed and ended, by agent, by id or all at once', async () => {
    const agent = await app.agent('builder-7');
    const consolidate = (...args: string[]) => succeeds(app.adminToken, 'consolidate', ...args);
    expect(await consolidate('resume')).toBe('Nothing is paused.\n');
    expect(await consolidate('pauses')).toBe('Nothing is paused.\n');
    expect(await consolidate('pause')).toMatch(
      /^Paused: all agents\. To resume: guildbook consolidate resume [0-9a-f]{8}\n$/,
    );
    expect(await consolidate('pause', '--agent', 'builder-7')).toContain('Paused: builder-7.');
    const { items } = await app.admin.consolidation.pauses();
    expect(items.map(({ agentId }) => agentId).sort()).toEqual([agent.id, null].sort());
    expect(await consolidate('pauses')).toMatch(/builder-7 {2,}\d{4}/);
    const twice = await runAs(app.adminToken, 'consolidate', 'pause', '--agent', 'builder-7');
    expect(twice).toMatchObject({ code: EXIT.failed, stderr: expect.stringContaining('paused already') });

    const ofAgent = items.find(({ agentId }) => agentId === agent.id);
    expect(await consolidate('resume', 'builder-7')).toBe(`Resumed: ${ofAgent?.id}\n`);
    const [ofAll] = (await app.admin.consolidation.pauses()).items;
    expect(await consolidate('resume', ofAll?.id.slice(0, 8) ?? '')).toBe(`Resumed: ${ofAll?.id}\n`);
    const unknown = await runAs(app.adminToken, 'consolidate', 'resume', 'builder-7');
    expect(unknown).toMatchObject({
      code: EXIT.notFound,
      stderr: expect.stringContaining('guildbook consolidate pauses'),
    });
    const { token } = await app.person('Olga Plain 2', {});
    expect((await runAs(token, 'consolidate', 'pause')).code).toBe(EXIT.notPermitted);
  });

  it('are refused with the name of the option or the field', async () => {
    const long = await runAs(app.adminToken, 'pause', '--project', 'p'.repeat(121));
    expect(long).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('project') });
    const hours = await runAs(app.adminToken, 'pause', '--for', 'long');
    expect(hours).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('--for') });
    const unknown = await runAs(app.adminToken, 'resume', 'no-such-project');
    expect(unknown).toMatchObject({ code: EXIT.notFound, stderr: expect.stringContaining('guildbook status') });
  });
});
