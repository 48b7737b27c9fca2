import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { storedMemory } from '../support/memories.js';

describe('the command line for memories', () => {
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

  const guildbook = (token: string, ...args: string[]) =>
    program.run(args, { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: token });

  it('checks for corroboration, and lets only a reviewer with a reason verify a memory', async () => {
    const { client, token } = await app.agent('Ada');
    const { id } = await client.remember({ lesson: 'Zeppelins land against the wind', tags: ['non-inferable'] });
    const checked = await guildbook(app.adminToken, 'memory', 'check', id);
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('unverified; unresolved: no_evidence') });
    const verify = ['memory', 'verify', id, 'verified'];
    expect(await guildbook(app.adminToken, ...verify)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reason'),
    });
    expect(await guildbook(token, ...verify, '--reason', 'I am sure.')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('access.'),
    });
    expect(await guildbook(app.adminToken, ...verify, '--reason', 'Seen it land.')).toMatchObject({
      code: 0,
      stdout: 'verified: Zeppelins land against the wind\n',
    });
    expect(await app.admin.promotions.show(id)).toMatchObject({
      provenance: 'verified',
      evidence: [{ kind: 'person', stance: 'supports', reason: 'Seen it land.' }],
    });
  });
  it('recalls memories with their steps only if it is asked to', async () => {
    const { id: agentId, token } = await app.agent('Ben');
    const discovery = 'Airships leave the hangar backwards';
    await storedMemory(app.database, { agentId, discovery, steps: ['Open it', 'Push'], createdAt: app.clock.now() });
    const recalled = async (...more: string[]) =>
      (await guildbook(token, 'recall', 'airships leave the hangar', ...more)).stdout;
    expect(await recalled('--steps')).toContain('"step 2":"Push"');
    expect(await recalled()).toContain('"steps":"2 not shown');
  });
});
