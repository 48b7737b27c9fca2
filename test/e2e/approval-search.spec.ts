import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApprovalExpiryJob } from '../../src/approvals/upkeep/approval-expiry.job.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CHARACTERS, LOOKALIKES, MARKUP } from '../support/hostile-texts.js';
import { submitted } from '../support/submission.js';

describe('the search of the queue', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startTestApplication();
    await submitted(app, 'Something else entirely');
  });
  afterAll(() => app.close());

  const found = async (q: string, state: 'pending' | 'approved' = 'pending') =>
    (await app.admin.approvals.list({ q, state })).items.map(({ id }) => id);

  it.each([
    ['by the beginning of a word, in whatever case', 'Reconnect the broker', ['reconn', 'BROK', 'bro recon']],
    [
      'by a part of a compound name that begins one',
      'Set retryAfterMs in the app_options',
      ['afterms', 'options', 'app_opt'],
    ],
    ['in letters beyond ASCII', 'Größe der Übertragung prüfen', ['größ', 'ÜBER', 'PRÜF']],
    ['in Chinese, wherever it stands', '部署失败后重试一次', ['失败', '败', '部署失败后', '后重试']],
    ['in Japanese, wherever it stands', 'デプロイに失敗したら戻す', ['失敗', 'プロイ', 'したら']],
    ['in Korean, wherever it stands', '재배포하기 전에 확인', ['배포', '확인', '포하기 전']],
    ['with signs as they are', 'Pass --no-cache=yes to it', ['--no-cache', 'cache=yes', '"--no-cache=yes to"']],
  ])('finds an item %s', async (_name, title, searches) => {
    const { id } = await submitted(app, title);
    for (const q of searches) expect([q, await found(q)]).toEqual([q, [id]]);
  });

  it.each([
    ['the middle of a word', 'econnect'],
    ['signs that are not there', 'no+cache'],
    ['an order that is not that of the words', '"cache no"'],
    ['what has no words at all', '\0'],
  ])('finds nothing by %s', async (_name, q) => {
    expect(await found(q)).toEqual([]);
  });

  it.each([
    ...["'", "''; DROP TABLE approval_words; --", '"', '""', '"a', "a' | 'b", '!a', '(a', 'a <-> b', 'a:*', ':*', '\\'],
    ...['\\\\:*', 'a\\', 'a\0b', '\0', '\ud800', 'a\udc00', '%', '_', '->', 'x'.repeat(200), '"'.repeat(200)],
    ...['\u{FDFA}'.repeat(100), '\u{1F600}'.repeat(50), '部'.repeat(200), `${'a '.repeat(99)}b`],
  ])('does not fail on %j', async (q) => {
    expect(await found(q)).toEqual(expect.any(Array));
  });

  it('does not fail on any text that others use against pages and terminals', async () => {
    for (const q of [...MARKUP, ...CHARACTERS, ...LOOKALIKES])
      expect([q, await found(q.slice(0, 200))]).toEqual([q, expect.any(Array)]);
  });

  it('follows a revision, and a decision leaves it as it was', async () => {
    const item = await submitted(app, 'Begin with heliotrope');
    const proposal = { ...item.proposal, action: 'Write it with marigold.' };
    const edited = await app.admin.approvals.edit(item.id, { artifactSha256: item.artifactSha256, proposal });
    expect([await found('heliotrope'), await found('marigold')]).toEqual([[item.id], [item.id]]);
    expect(await found('"with its long name" heliotrope')).toEqual([]);
    const version = () =>
      app.database.client
        .$queryRaw`SELECT "xmin"::text, "ctid"::text FROM "approval_words" WHERE "item_id" = ${item.id}::uuid`;
    const before = await version();
    expect(before).toHaveLength(1);
    await app.admin.approvals.approve(item.id, edited.artifactSha256);
    const { client } = await app.person('Second', { reviewer: true });
    await client.approvals.approve(item.id, edited.artifactSha256);
    expect([await found('marigold'), await found('marigold', 'approved')]).toEqual([[], [item.id]]);
    expect(await version()).toEqual(before);
  });

  it('finds what an earlier version of the program stored, with the first sweep of a later one', async () => {
    const old = await startTestApplication();
    const titles = Array.from({ length: 3 }, (_, n) => `Stored before number ${n}`);
    for (const title of titles) await submitted(old, title);
    const { client } = old.database;
    await client.$executeRaw`DELETE FROM "approval_words" WHERE "item_id" = (SELECT min("item_id"::text)::uuid FROM "approval_words")`;
    await client.$executeRaw`UPDATE "approval_words" SET "rules" = 0, "words" = ''`;
    const total = async () => (await old.admin.approvals.list({ q: 'stored before' })).total;
    expect(await total()).toBe(0);
    await old.app.get(ApprovalExpiryJob).sweep();
    expect(await total()).toBe(3);
    await old.close();
  });
});
