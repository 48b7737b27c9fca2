import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProposalExpiryJob } from '../../src/approvals/upkeep/proposal-expiry.job.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CHARACTERS, LOOKALIKES, MARKUP } from '../support/hostile-texts.js';
import { submitTestProposal } from '../support/proposal-input.js';

describe('the search of the queue', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startTestApplication();
    await submitTestProposal(app, 'Something else entirely');
  });
  afterAll(() => app.close());

  const found = async (q: string, state: 'pending' | 'approved' = 'pending') =>
    (await app.admin.proposals.list({ q, state })).items.map(({ id }) => id);

  it.each([
    ['by the beginning of a word, in any case', 'Reconnect the broker', ['reconn', 'BROK', 'bro recon']],
    ['by a part of a compound name', 'Set retryAfterMs in the app_options', ['afterms', 'options', 'app_opt']],
    ['in letters beyond ASCII', 'Größe der Übertragung prüfen', ['größ', 'ÜBER', 'PRÜF']],
    ['by any part of a Chinese text', '部署失败后重试一次', ['失败', '败', '部署失败后', '后重试']],
    ['by any part of a Japanese text', 'デプロイに失敗したら戻す', ['失敗', 'プロイ', 'したら']],
    ['by any part of a Korean text', '재배포하기 전에 확인', ['배포', '확인', '포하기 전']],
    ['by literal signs', 'Pass --no-cache=yes to it', ['--no-cache', 'cache=yes', '"--no-cache=yes to"']],
  ])('finds a proposal %s', async (_name, title, searches) => {
    const { id } = await submitTestProposal(app, title);
    for (const q of searches) expect([q, await found(q)]).toEqual([q, [id]]);
  });

  it.each([
    ['the middle of a word', 'econnect'],
    ['other signs', 'no+cache'],
    ['a phrase in another order', '"cache no"'],
    ['a text without words', '\0'],
  ])('finds nothing for %s', async (_name, q) => {
    expect(await found(q)).toEqual([]);
  });

  it.each([
    ...["'", "''; DROP TABLE proposal_words; --", '"', '""', '"a', "a' | 'b", '!a', '(a', 'a <-> b', 'a:*', ':*', '\\'],
    ...['\\\\:*', 'a\\', 'a\0b', '\0', '\ud800', 'a\udc00', '%', '_', '->', 'x'.repeat(200), '"'.repeat(200)],
    ...['\u{FDFA}'.repeat(100), '\u{1F600}'.repeat(50), '部'.repeat(200), `${'a '.repeat(99)}b`],
  ])('does not fail on %j', async (q) => {
    expect(await found(q)).toEqual(expect.any(Array));
  });

  it('does not fail on hostile texts', async () => {
    for (const q of [...MARKUP, ...CHARACTERS, ...LOOKALIKES])
      expect([q, await found(q.slice(0, 200))]).toEqual([q, expect.any(Array)]);
  });

  it('follows a revision, and is not changed by a decision', async () => {
    const proposal = await submitTestProposal(app, 'Begin with heliotrope');
    const skill = { ...proposal.proposedSkill, action: 'Write it with marigold.' };
    const edited = await app.admin.proposals.edit(proposal.id, {
      artifactSha256: proposal.artifactSha256,
      proposedSkill: skill,
    });
    expect([await found('heliotrope'), await found('marigold')]).toEqual([[proposal.id], [proposal.id]]);
    expect(await found('"with its long name" heliotrope')).toEqual([]);
    const version = () =>
      app.database.client
        .$queryRaw`SELECT "xmin"::text, "ctid"::text FROM "proposal_words" WHERE "proposal_id" = ${proposal.id}::uuid`;
    const before = await version();
    expect(before).toHaveLength(1);
    await app.admin.proposals.approve(proposal.id, edited.artifactSha256);
    const { client } = await app.person('Second', { reviewer: true });
    await client.proposals.approve(proposal.id, edited.artifactSha256);
    expect([await found('marigold'), await found('marigold', 'approved')]).toEqual([[], [proposal.id]]);
    expect(await version()).toEqual(before);
  });

  it('finds proposals of an earlier version of the program after the first run of the job', async () => {
    const old = await startTestApplication();
    const titles = Array.from({ length: 3 }, (_, n) => `Stored before number ${n}`);
    for (const title of titles) await submitTestProposal(old, title);
    const { client } = old.database;
    await client.$executeRaw`DELETE FROM "proposal_words" WHERE "proposal_id" = (SELECT min("proposal_id"::text)::uuid FROM "proposal_words")`;
    await client.$executeRaw`UPDATE "proposal_words" SET "rules" = 0, "words" = ''`;
    const total = async () => (await old.admin.proposals.list({ q: 'stored before' })).total;
    expect(await total()).toBe(0);
    await old.app.get(ProposalExpiryJob).sweep();
    expect(await total()).toBe(3);
    await old.close();
  });
});
