import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BatchesApi, RESULTS, startBatchesApi } from '../../../test/support/batches-api.js';
import {
  CYCLE,
  FAMILY_WRITER,
  type FamilyModel,
  NOTHING_ASKED,
  startFamilyModel,
} from '../../../test/support/family-model.js';
import {
  DECLINED,
  DOSSIER,
  familyLesson,
  familyPrint,
  familyQuestion,
} from '../../../test/support/family-questions.js';
import { USAGE } from '../../../test/support/messages-api.js';
import type { FamilyQuestion } from '../../evidence/answers/family-question.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import type { Constants } from '../../platform/config/constants.js';
import { BatchWorker } from '../lessons/batch-worker.service.js';

let api: BatchesApi;
let family: FamilyModel;

beforeEach(async () => {
  api = await startBatchesApi();
  api.results = (id) => RESULTS.family(id, familyLesson());
});
afterEach(async () => {
  await family.services.close();
  await api.close();
});

async function start(
  environment: Record<string, string> = {},
  constants: Partial<Constants> = {},
): Promise<FamilyModel> {
  family = await startFamilyModel(api, environment, { proposerBatchMinPending: 3, ...constants });
  return family;
}

/** A question about the family of each digit, with a dossier of its own. */
const questions = (digits: string): FamilyQuestion[] =>
  [...digits].map((digit) =>
    familyQuestion({ family: familyPrint(digit), dossier: { ...DOSSIER, failures: 30 + Number(digit) } }),
  );
const client = () => family.services.database.client;
const calls = () => client().proposerCall.findMany({ orderBy: { reservedAt: 'asc' } });
const batches = () => client().proposerBatch.findMany({ orderBy: { createdAt: 'asc' } });
const outcomes = async () => (await calls()).map(({ outcome }) => outcome).sort();
const inBatch = (waiting: number) => ({ fresh: [], asked: 0, waiting, because: 'batch' });

describe('many questions about families', () => {
  it('go to the model as one batch, whose answers the next cycle stores as single ones, at half the price', async () => {
    const { model, ask, extended, stored, journalled, usage } = await start();
    const asked = questions('123');
    expect(await ask(...asked)).toEqual(inBatch(3));
    expect(api.submitted.map((ids) => ids.length)).toEqual([3]);
    expect(JSON.parse(api.bodies[0] ?? '').requests[1].params.messages).toEqual([
      { role: 'user', content: asked[1] && model.promptOf(asked[1]).user },
    ]);
    expect(await ask(...asked)).toEqual(inBatch(3));
    expect([api.submitted.length, extended(), (await stored()).length, (await journalled()).length]).toEqual([
      1, 2, 0, 0,
    ]);
    api.status = 'ended';
    const ended = await ask(...asked);
    expect(ended).toMatchObject({ asked: 3, waiting: 0, because: null });
    expect(ended.fresh).toMatchObject(
      asked.map((question) => ({
        ...question,
        by: FAMILY_WRITER,
        answer: familyLesson(),
        rewritten: false,
        shown: expect.stringContaining('FAILURE'),
        hash: expect.stringMatching(/^sha256:/),
      })),
    );
    expect(await model.known(asked.map((one) => one.family))).toEqual(
      new Map(ended.fresh.map((answer) => [answer.family, answer])),
    );
    expect(await journalled()).toMatchObject(
      Array(3).fill({ data: { cycle: CYCLE, by: FAMILY_WRITER, outcome: 'written', replayed: false } }),
    );
    expect((await calls()).map(({ costNano, outcome }) => [costNano, outcome])).toEqual(
      Array(3).fill([81_600n, 'written']),
    );
    const { purposes, batches: shown } = await usage();
    expect(purposes).toMatchObject([{ purpose: 'family', calls: 3, inputTokens: 3 * USAGE.input_tokens }]);
    expect(shown).toMatchObject([{ purpose: 'family', state: 'ended', payloads: 3 }]);
    // No cycle waited for these answers.
    expect(await model.costOf(CYCLE)).toMatchObject({ usd: expect.closeTo(0.0002448, 10), seconds: 0 });
    expect(await client().familyQuestion.count()).toBe(0);
    expect(await ask(...asked)).toEqual(NOTHING_ASKED);
    expect(api.singles()).toBe(0);
  });

  it('have the hash and the text of the same questions asked singly', async () => {
    const { ask } = await start();
    const asked = questions('123');
    await ask(...asked);
    api.status = 'ended';
    const { fresh } = await ask(...asked);
    await family.services.close();
    const { ask: askSingly } = await start({}, { proposerBatchMinPending: 0 });
    const single = await askSingly(...asked);
    expect(api.singles()).toBe(3);
    expect(fresh.map(({ hash, shown }) => [hash, shown])).toEqual(single.fresh.map(({ hash, shown }) => [hash, shown]));
  });

  it.each([
    ['few', 3, '12'],
    ['many and batches are off', 0, '1234'],
  ])('are asked one after another if they are %s', async (_name, proposerBatchMinPending, digits) => {
    const { ask } = await start({}, { proposerBatchMinPending });
    expect(await ask(...questions(digits))).toMatchObject({ asked: digits.length, waiting: 0, because: null });
    expect([api.submitted, api.singles()]).toEqual([[], digits.length]);
  });

  it('do not hold up other families, nor does the batch of lessons touch theirs', async () => {
    const { services, ask } = await start();
    await ask(...questions('123'));
    expect(await ask(...questions('1234'))).toMatchObject({
      fresh: [{ family: familyPrint('4') }],
      asked: 1,
      waiting: 3,
      because: 'batch',
    });
    api.status = 'ended';
    services.get(BatchWorker).wake();
    await services.get(BatchWorker).idle();
    expect(await batches()).toMatchObject([{ purpose: 'family', state: 'submitted' }]);
    expect(await ask(...questions('1234'))).toMatchObject({ asked: 3, waiting: 0, because: null });
  });

  it('with the same prompt are sent once, and answer for each other', async () => {
    const { ask } = await start();
    const same = familyQuestion({ family: familyPrint('4'), dossier: { ...DOSSIER, failures: 31 } });
    expect(await ask(...questions('123'), same)).toEqual(inBatch(4));
    expect(await ask(...questions('123'), same)).toEqual(inBatch(4));
    api.status = 'ended';
    const { fresh, asked } = await ask(...questions('123'), same);
    expect([fresh.map((one) => one.family), asked]).toEqual([['1', '2', '3', '4'].map(familyPrint), 3]);
    expect([api.submitted[0]?.length, api.singles()]).toEqual([3, 0]);
  });

  it('are sent as far as the budget allows, and the others wait', async () => {
    const { ask: askAll } = await start();
    await askAll(...questions('123'));
    const [one] = await calls();
    const most = (one?.cacheWriteTokens ?? 0) + (one?.outputTokens ?? 0);
    await family.services.close();
    const tokens = { GUILDBOOK_PROPOSER_DAY_TOKENS: `${Math.ceil(2.5 * most)}` };
    const { ask } = await start(tokens, { proposerCycleShare: 1 });
    expect(await ask(...questions('1234'))).toEqual({ ...inBatch(4), because: 'over_budget' });
    expect(api.submitted.map((ids) => ids.length)).toEqual([3, 2]);
    api.status = 'ended';
    const next = await ask(...questions('1234'));
    expect(next.fresh.map((answer) => answer.family)).toEqual(
      expect.arrayContaining([familyPrint('1'), familyPrint('2')]),
    );
    expect(next.asked).toBeGreaterThanOrEqual(2);
  });

  it('are not sent over budget', async () => {
    const { ask } = await start({ GUILDBOOK_PROPOSER_DAY_TOKENS: '1000' });
    expect(await ask(...questions('123'))).toEqual({ ...inBatch(3), because: 'over_budget' });
    expect([api.submitted, await batches(), await calls()]).toEqual([[], [], []]);
  });

  it('are asked one after another if the server takes no batches', async () => {
    const { ask } = await start();
    api.refuse = 404;
    expect(await ask(...questions('123'))).toMatchObject({ asked: 3, waiting: 0, because: null });
    expect(await batches()).toMatchObject([{ state: 'lost' }]);
    expect((await calls()).filter(({ batchId }) => batchId !== null)).toMatchObject(
      Array(3).fill({ outcome: 'unavailable', costNano: 0n }),
    );
    expect([await client().familyQuestion.count(), api.singles()]).toEqual([0, 3]);
  });

  it('hold no secret, neither sent nor stored', async () => {
    const { ask } = await start();
    const secret = ['gh', 'p_', 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTb'].join('');
    const leaking = familyQuestion({
      family: familyPrint('9'),
      dossier: { ...DOSSIER, signature: `401 for ${secret}` },
    });
    await ask(...questions('12'), leaking);
    const kept = await client().familyQuestion.findMany();
    expect(kept).toHaveLength(3);
    expect(JSON.stringify([kept, api.bodies])).not.toContain(secret);
  });
});

describe('a batch about families', () => {
  it('leaves what it does not answer to single questions, without a charge', async () => {
    const { ask, stored } = await start();
    const asked = questions('12345');
    await ask(...asked);
    api.status = 'ended';
    const lines = [
      (id: string) => RESULTS.family(id, familyLesson()),
      (id: string) => RESULTS.family(id, DECLINED),
      RESULTS.refusal,
      RESULTS.errored,
      RESULTS.expired,
    ];
    api.results = (id, index) => lines[index]?.(id);
    expect(await ask(...asked)).toMatchObject({ asked: 5, waiting: 0, because: null });
    expect(api.singles()).toBe(2);
    expect((await stored()).map(({ outcome }) => outcome).sort()).toEqual([
      ...['declined', 'malformed', 'malformed', 'refused', 'written'],
    ]);
    const unanswered = (await calls()).filter(({ outcome }) => outcome === 'unavailable');
    expect(unanswered.map(({ costNano }) => costNano)).toEqual([0n, 0n]);
    expect(await ask(...asked)).toEqual(NOTHING_ASKED);
  });

  it('asks again as a batch about many that it did not answer', async () => {
    const { ask } = await start();
    await ask(...questions('123'));
    api.status = 'ended';
    api.results = () => undefined;
    expect(await ask(...questions('123'))).toEqual(inBatch(3));
    expect(api.submitted).toHaveLength(2);
  });

  it('is read again from the start after a broken connection, and stores each answer once', async () => {
    const { ask, stored, journalled } = await start();
    await ask(...questions('1234'));
    api.status = 'ended';
    api.cutAfter = 2;
    const cut = await ask(...questions('1234'));
    expect(cut).toMatchObject({ because: 'batch' });
    expect(cut.asked).toBeLessThanOrEqual(2);
    expect(await batches()).toMatchObject([{ state: 'submitted' }]);
    api.cutAfter = undefined;
    const rest = await ask(...questions('1234'));
    expect([cut.asked + rest.asked, rest.waiting, cut.waiting]).toEqual([4, 0, 4 - cut.asked]);
    expect([(await stored()).length, (await journalled()).length]).toEqual([4, 4]);
    expect(await outcomes()).toEqual(Array(4).fill('written'));
  });

  it('whose sending was interrupted is found at the provider by a later cycle', async () => {
    const { services, ask } = await start();
    api.clock = () => services.clock.now();
    api.refuse = 'hang-up';
    expect(await ask(...questions('123'))).toEqual(inBatch(3));
    expect(await batches()).toMatchObject([{ state: 'prepared', providerId: null }]);
    api.refuse = undefined;
    api.status = 'ended';
    expect(await ask(...questions('123'))).toEqual(inBatch(3));
    expect(await batches()).toMatchObject([{ state: 'submitted', providerId: 'msgbatch_0' }]);
    expect(await ask(...questions('123'))).toMatchObject({ asked: 3, waiting: 0, because: null });
    expect([api.submitted.length, api.singles()]).toEqual([1, 0]);
  });

  it('that the provider does not have is given up, and its questions are asked one after another', async () => {
    const { services, ask } = await start();
    api.clock = () => services.clock.now();
    api.refuse = 'hang-up';
    await ask(...questions('123'));
    // The batch at the provider has another size, so it is a foreign one.
    api.submitted.splice(0, 1, ['a', 'b', 'c', 'd']);
    expect(await ask(...questions('123'))).toMatchObject({ asked: 3, waiting: 0, because: null });
    expect(await batches()).toMatchObject([{ state: 'lost' }]);
    for (const call of (await calls()).filter(({ batchId }) => batchId !== null))
      expect([call.outcome, call.costNano > 0n]).toEqual(['unavailable', true]);
    expect([api.singles(), await client().familyQuestion.count()]).toEqual([3, 0]);
  });

  it('that does not end is given up after a day, and its reservation is kept', async () => {
    const { services, ask } = await start();
    await ask(...questions('123'));
    services.clock.advance(25 * HOUR_MS);
    expect(await ask(...questions('123'))).toEqual(inBatch(3));
    services.clock.advance(1.1 * HOUR_MS);
    expect(await ask(...questions('123'))).toMatchObject({ asked: 3, waiting: 0, because: null });
    expect(await batches()).toMatchObject([{ state: 'lost' }]);
    for (const call of (await calls()).filter(({ batchId }) => batchId !== null))
      expect([call.outcome, call.costNano > 0n]).toEqual(['unavailable', true]);
    expect(api.singles()).toBe(3);
  });

  it('of another model is stored under its name, and its families are asked about again', async () => {
    const { ask, stored } = await start();
    await ask(...questions('123'));
    const by = 'anthropic/earlier/families-1';
    await client().familyQuestion.updateMany({ where: { family: familyPrint('1') }, data: { by } });
    api.status = 'ended';
    expect(await ask(...questions('123'))).toMatchObject({ asked: 4, waiting: 0 });
    const ofFirst = (await stored()).filter((one) => one.family === familyPrint('1'));
    expect(ofFirst.map((one) => one.by).sort()).toEqual([FAMILY_WRITER, by]);
  });

  it('with a damaged question settles its call, and the family is asked about again', async () => {
    const { ask } = await start();
    await ask(...questions('123'));
    await client().familyQuestion.updateMany({ where: { family: familyPrint('1') }, data: { question: [1] } });
    api.status = 'ended';
    expect(await ask(...questions('123'))).toMatchObject({ asked: 3, waiting: 0, because: null });
    expect(await outcomes()).toEqual(['failed', 'malformed', 'written', 'written']);
    expect(api.singles()).toBe(1);
  });
});
