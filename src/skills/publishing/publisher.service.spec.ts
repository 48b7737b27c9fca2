import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';

// A failing git is retried for each publication.
jest.setTimeout(600_000);

type TestProposal = Awaited<ReturnType<typeof submitTestProposal>>;

const BREAKS_OFF = 'Poison the well';

describe('the publisher', () => {
  let app: TestApplication;
  let folder: string;
  let gate: string;

  const git = (...args: string[]) => execFileSync('git', ['-C', app.skillsDir, ...args], { encoding: 'utf8' }).trim();
  const published = () => git('log', '--reverse', '--format=%s').split('\n');
  const approve = ({ id, artifactSha256 }: TestProposal) => app.admin.proposals.approve(id, artifactSha256);
  /** Approved while git is unusable until `open`. */
  const queueProposals = async (...titles: string[]) => {
    const proposals: TestProposal[] = [];
    for (const title of titles) proposals.push(await submitTestProposal(app, title));
    for (const proposal of proposals) await approve(proposal);
    return proposals;
  };
  const nextVersionOf = async (proposal: TestProposal) => {
    const live = await app.database.client.memory.findFirstOrThrow({ where: { proposalId: proposal.id } });
    const more = { kind: 'supersede' as const, supersedesId: live.id, fingerprint: `next of ${proposal.id}` };
    return approve(await submitTestProposal(app, proposal.title, more, { action: 'Write it as the handbook has it.' }));
  };
  const open = async () => {
    // A run in progress may hold earlier rows.
    await app.settled();
    rmSync(gate);
    await app.settled();
  };
  const states = async () => {
    const { items } = await app.admin.skills.list();
    return Object.fromEntries(items.map(({ name, publication }) => [name, publication.state]));
  };
  const journalled = async () => {
    const { items } = await app.admin.journal.list({ action: 'skill.published', limit: 500 });
    return items.map(({ subject }) => subject.id);
  };
  /** Changes rows as only an intruder with access to the database could. */
  const byForce = (statement: string) =>
    app.database.transaction(async (tx) => {
      await tx.$executeRawUnsafe('ALTER TABLE "publication" DISABLE TRIGGER USER');
      await tx.$executeRawUnsafe(statement);
      await tx.$executeRawUnsafe('ALTER TABLE "publication" ENABLE TRIGGER USER');
    });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guildbook-publisher-'));
    gate = join(folder, 'gate');
    const wrapper = join(folder, 'git');
    const calls = join(folder, 'calls');
    // The new commit and the one before are the last arguments of the call.
    const refuse = `for last; do old=$new; new=$last; done; git log -p "$old" | grep -q '${BREAKS_OFF}' && exit 1`;
    const script = `[ -e '${gate}' ] && exit 1\nprintf '%s\\n' "$*" >> '${calls}'\ncase "$*" in *update-ref*) ${refuse};; esac`;
    writeFileSync(wrapper, `#!/bin/sh\n${script}\nexec git "$@"\n`);
    chmodSync(wrapper, 0o755);
    app = await startTestApplication({}, false, { gitBinary: wrapper });
    writeFileSync(gate, '');
  });
  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it('publishes a queue at once: one commit each, in the order of the decisions, and one journal entry each', async () => {
    const titles = ['Delta', 'Alpha', 'Charlie', 'Bravo'];
    const proposals = await queueProposals(...titles);
    expect(await states()).toEqual({ alpha: 'pending', bravo: 'pending', charlie: 'pending', delta: 'pending' });
    await app.admin.retireSkill(proposals[1]?.id ?? '', 'not true any more');
    await open();
    const order = ['delta', 'alpha', 'charlie', 'bravo'];
    expect(published()).toEqual([...order.map((name) => `Publish ${name} v1`), 'Retire alpha']);
    const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
    expect(calls.filter((call) => call.includes(' update-ref ') && call.includes('refs/heads/main'))).toHaveLength(1);
    expect(await journalled()).toEqual(order);
    const commits = git('log', '--format=%H').split('\n');
    const rows = await app.database.client.publication.findMany();
    expect(rows.map(({ commit }) => commit).sort()).toEqual(commits.sort());
    expect(existsSync(join(app.skillsDir, 'alpha'))).toBe(false);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('holds back the later version of a skill whose earlier one is not the approved text, and publishes the others', async () => {
    const [bad] = await queueProposals('Alpha', 'Bravo');
    if (!bad) throw new Error('nothing waits');
    await nextVersionOf(bad);
    const replace = (bytes: string) =>
      byForce(`UPDATE "publication" SET "artifact" = '${bytes.replaceAll("'", "''")}',
        "artifact_sha256" = encode(sha256(convert_to('${bytes.replaceAll("'", "''")}', 'UTF8')), 'hex')
        WHERE "proposal_id" = '${bad.id}'`);
    await replace('no skill at all');
    await open();
    expect(published()).toEqual(['Publish bravo v1']);

    await replace(bad.artifact);
    await app.settled();
    expect(published()).toEqual(['Publish bravo v1', 'Publish alpha v1', 'Publish alpha v2']);
    expect(await journalled()).toEqual(['bravo', 'alpha', 'alpha']);
  });

  it('holds back the later version of a skill whose earlier one git refuses, and publishes the others', async () => {
    const [, bad] = await queueProposals('Alpha', BREAKS_OFF, 'Bravo');
    if (!bad) throw new Error('nothing waits');
    await nextVersionOf(bad);
    await open();
    expect(published()).toEqual(['Publish alpha v1', 'Publish bravo v1']);
    expect(await states()).toEqual({ alpha: 'published', bravo: 'published', 'poison-the-well': 'pending' });
    const row = { where: { proposalId: bad.id } };
    const { lastError, attempts } = await app.database.client.publication.findFirstOrThrow(row);
    expect(lastError).toMatch(/could not be recorded in git/);
    expect(attempts).toBeGreaterThan(0);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('reaches publications behind more failures than one batch', async () => {
    const bad = Array.from({ length: 65 }, (_, n) => `Broken ${n}`);
    const proposals = await queueProposals(...bad, 'Alpha');
    const alpha = proposals.at(-1)?.id;
    await byForce(`UPDATE "publication" SET "artifact" = 'none', "artifact_sha256" = encode(sha256('none'), 'hex')
      WHERE "proposal_id" <> '${alpha}'`);
    await open();
    expect(published()).toEqual(['Publish alpha v1']);
  });

  it('acknowledges publications although another acknowledgement is refused, and retries that one without a second commit', async () => {
    await queueProposals('Alpha', 'Bravo', 'Charlie');
    await app.database.client.$executeRawUnsafe(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'not now'; END $$`);
    await app.database.client.$executeRawUnsafe(`CREATE TRIGGER refuse BEFORE UPDATE ON "publication"
      FOR EACH ROW WHEN (NEW."state" = 'published' AND NEW."skill_name" = 'bravo') EXECUTE FUNCTION refuse()`);
    await open();
    expect(await states()).toEqual({ alpha: 'published', bravo: 'pending', charlie: 'published' });
    const commits = published();
    expect(commits).toEqual(['Publish alpha v1', 'Publish bravo v1', 'Publish charlie v1']);

    await app.database.client.$executeRawUnsafe('DROP TRIGGER refuse ON "publication"');
    await app.settled();
    expect(await states()).toEqual({ alpha: 'published', bravo: 'published', charlie: 'published' });
    expect(published()).toEqual(commits);
    expect(await journalled()).toEqual(['alpha', 'charlie', 'bravo']);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });
});
