import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
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
  saysOfFamily,
} from '../../../test/support/family-questions.js';
import { ANSWERS, type MessagesApi, startMessagesApi, USAGE } from '../../../test/support/messages-api.js';
import type { Constants } from '../../platform/config/constants.js';
import { WordingModel } from '../questions/wording-model.service.js';

describe('the model that writes about families', () => {
  let api: MessagesApi;
  let family: FamilyModel;
  beforeAll(async () => {
    api = await startMessagesApi();
  });
  afterEach(async () => {
    api.forget();
    await family.services.close();
  });
  afterAll(() => api.close());
  const start = async (...settings: [environment?: Record<string, string>, constants?: Partial<Constants>]) => {
    family = await startFamilyModel(api, ...settings);
    return family;
  };

  it('is asked once about a family, and its answer is stored, journalled and known', async () => {
    const { model, ask, extended, journalled } = await start();
    api.answer(saysOfFamily(familyLesson()));
    const first = await ask(familyQuestion());
    expect(first).toMatchObject({ asked: 1, waiting: 0, because: null });
    expect(first.fresh).toMatchObject([
      {
        ...familyQuestion(),
        answer: familyLesson(),
        by: FAMILY_WRITER,
        rewritten: false,
        shown: expect.stringContaining('FAILURE'),
      },
    ]);
    expect(await model.known([familyPrint('1'), familyPrint('2')])).toEqual(
      new Map([[familyPrint('1'), first.fresh[0]]]),
    );
    expect(await ask(familyQuestion({ executions: 43 }))).toEqual(NOTHING_ASKED);
    expect([api.requests.length, extended()]).toEqual([1, 1]);
    const hash = first.fresh[0]?.hash;
    expect(await journalled()).toEqual([
      {
        subject: { type: 'family', id: familyPrint('1') },
        data: { cycle: CYCLE, by: FAMILY_WRITER, hash, outcome: 'written', executions: 22, replayed: false },
      },
    ]);
  });

  it('asks with the prompt that promptOf returns, which a provider can cache', async () => {
    const { model, ask } = await start();
    api.answer(saysOfFamily(familyLesson()));
    await ask(familyQuestion(), familyQuestion({ family: familyPrint('2'), dossier: { ...DOSSIER, failures: 32 } }));
    const [one, two] = api.requests.map(({ body }) => body);
    const { system, user } = model.promptOf(familyQuestion());
    expect(one?.messages).toEqual([{ role: 'user', content: user }]);
    expect(one?.system).toEqual([{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }]);
    expect(two?.system).toEqual(one?.system);
    expect(two?.messages).not.toEqual(one?.messages);
  });

  it('asks again about a family that has doubled, and keeps the first answer', async () => {
    const { model, ask, stored } = await start();
    api.answer(saysOfFamily(familyLesson()), saysOfFamily(DECLINED));
    await ask(familyQuestion());
    const grown = familyQuestion({ executions: 44, dossier: { ...DOSSIER, executions: 44 } });
    expect(await ask(grown)).toMatchObject({ asked: 1, fresh: [{ executions: 44, answer: DECLINED }] });
    expect((await model.known([grown.family])).get(grown.family)).toMatchObject({ executions: 44, answer: DECLINED });
    expect((await stored()).map(({ outcome }) => outcome)).toEqual(['written', 'declined']);
    expect(await ask(familyQuestion({ executions: 87 }))).toEqual(NOTHING_ASKED);
  });

  it.each([
    ['a refusal with its kind', saysOfFamily(DECLINED), 'declined', DECLINED],
    ['a refusal of the provider', ANSWERS.refusal(), 'refused', null],
    ['half an answer', ANSWERS.message(JSON.stringify(familyLesson()).slice(0, 200)), 'malformed', null],
    ['prose', ANSWERS.prose(), 'malformed', null],
    ['an answer that is cut', ANSWERS.message('{', 'max_tokens'), 'unfinished', null],
    ['a lesson with a refusal', saysOfFamily({ ...familyLesson(), refusal: DECLINED.refusal }), 'malformed', null],
    ['ten megabytes', saysOfFamily(familyLesson({ title: 'x'.repeat(10 * 1_024 * 1_024) })), 'malformed', null],
  ])('remembers %s until the family doubles', async (_name, says, outcome, answer) => {
    const { ask, stored, usage } = await start();
    api.answer(says, saysOfFamily(familyLesson()));
    expect(await ask(familyQuestion())).toMatchObject({ asked: 1, waiting: 0, fresh: [{ answer }] });
    expect(await ask(familyQuestion({ executions: 43 }))).toEqual(NOTHING_ASKED);
    expect(await stored()).toMatchObject([{ outcome, answer, executions: 22 }]);
    expect((await usage()).outcomes).toMatchObject([{ outcome, calls: 1 }]);
    const grown = familyQuestion({ executions: 44, dossier: { ...DOSSIER, executions: 44 } });
    expect(await ask(grown)).toMatchObject({ asked: 1, fresh: [{ answer: familyLesson() }] });
  });

  it.each([
    ['a rate limit of the provider', ANSWERS.rateLimited(), false],
    ['an error of the server', ANSWERS.broken(), false],
    ['something that is not the Messages API', ANSWERS.page(), false],
    ['a broken connection', ANSWERS.hangUpHalfWay(), true],
  ])('stores nothing after %s, and asks in a later cycle', async (_name, says, isCharged) => {
    const { services, model, ask, stored, journalled } = await start();
    api.answer(says);
    const two = [familyQuestion(), familyQuestion({ family: familyPrint('2'), dossier: { ...DOSSIER, failures: 32 } })];
    const away = { fresh: [], asked: 0, waiting: 2, because: 'unavailable' };
    expect(await ask(...two)).toEqual(away);
    expect([await stored(), await journalled()]).toEqual([[], []]);
    expect((await model.costOf(CYCLE)).usd > 0).toBe(isCharged);
    const calls = api.requests.length;
    expect(await ask(...two)).toEqual(away);
    expect(api.requests).toHaveLength(calls);
    services.clock.advance(31_000);
    api.answer(saysOfFamily(familyLesson()));
    expect(await ask(...two)).toMatchObject({ asked: 2, waiting: 0, because: null });
  });

  it('stores nothing if the model takes longer than its timeout', async () => {
    const { ask, stored } = await start({ GUILDBOOK_PROPOSER_TIMEOUT_SECONDS: '1' });
    api.answer(saysOfFamily(familyLesson()));
    api.whileAnswering(() => new Promise(() => undefined));
    expect(await ask(familyQuestion())).toEqual({ fresh: [], asked: 0, waiting: 1, because: 'unavailable' });
    expect(await stored()).toEqual([]);
  });

  it('stores what was answered before the model went away', async () => {
    const { ask, stored } = await start();
    api.answer(saysOfFamily(familyLesson()), ANSWERS.unauthenticated());
    const questions = ['1', '2', '3'].map((digit, failures) =>
      familyQuestion({ family: familyPrint(digit), dossier: { ...DOSSIER, failures } }),
    );
    expect(await ask(...questions)).toMatchObject({
      fresh: [{ family: familyPrint('1') }],
      asked: 1,
      waiting: 2,
      because: 'unavailable',
    });
    expect(await stored()).toHaveLength(1);
  });

  it('asks nothing over budget', async () => {
    const { ask, stored } = await start({ GUILDBOOK_PROPOSER_DAY_TOKENS: '1000' });
    expect(await ask(familyQuestion())).toEqual({ fresh: [], asked: 0, waiting: 1, because: 'over_budget' });
    expect([api.requests.length, (await stored()).length]).toEqual([0, 0]);
  });

  it('waits for the rate limit, but not for long', async () => {
    const { services, model, ask } = await start({}, { proposerCallsPerMinute: 1 });
    const waited: number[] = [];
    // Advances the clock instead of waiting; the last question finds it where it was.
    Object.assign(model, {
      pause: async (milliseconds: number) => {
        waited.push(milliseconds);
        if (waited.length < 2) services.clock.advance(milliseconds);
      },
    });
    api.answer(saysOfFamily(familyLesson()));
    const questions = ['1', '2', '3'].map((digit, failures) =>
      familyQuestion({ family: familyPrint(digit), dossier: { ...DOSSIER, failures } }),
    );
    expect(await ask(...questions)).toMatchObject({ asked: 2, waiting: 1, because: 'rate_limited' });
    expect(waited).toHaveLength(3);
    expect(Math.max(...waited)).toBeLessThanOrEqual(60_000);
  });

  it('counts its calls under `family`, apart from the wording of the same cycle', async () => {
    const { services, model, ask, usage } = await start();
    api.answer(saysOfFamily(familyLesson()));
    await ask(familyQuestion());
    const { purposes, outcomes } = await usage();
    expect(purposes).toMatchObject([{ purpose: 'family', calls: 1, inputTokens: USAGE.input_tokens, usd: 0.0001632 }]);
    expect(outcomes).toMatchObject([{ outcome: 'written', calls: 1 }]);
    const cost = await model.costOf(CYCLE);
    expect(cost).toMatchObject({ tokens: USAGE.input_tokens + USAGE.output_tokens, usd: 0.0001632 });
    expect(cost.seconds).toBeGreaterThan(0);
    expect(await services.get(WordingModel).costOf(CYCLE)).toEqual({ tokens: 0, usd: 0 });
    expect(await services.database.client.proposerCall.findFirst()).toMatchObject({
      purpose: 'family',
      cycleId: CYCLE,
      pattern: '1111111111111111',
      proposer: FAMILY_WRITER,
      executionId: null,
    });
  });

  it('sends and stores no secret, neither of a dossier nor of an answer', async () => {
    const { ask, stored, journalled } = await start();
    const secret = ['gh', 'p_', 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTb'].join('');
    api.answer(saysOfFamily(familyLesson({ steps: [`Use ${secret}.`] })));
    await ask(familyQuestion({ dossier: { ...DOSSIER, signature: `401 for ${secret}` } }));
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]?.raw).not.toContain(secret);
    expect(JSON.stringify([await stored(), await journalled()])).not.toContain(secret);
  });

  it('stores a text with characters that no database holds', async () => {
    const { ask } = await start();
    api.answer(saysOfFamily(familyLesson({ title: 'a\0b\ud800c' })));
    expect((await ask(familyQuestion())).fresh).toMatchObject([{ answer: { lesson: { title: 'abc' } } }]);
  });

  it.each([
    ['no model is configured', { ANTHROPIC_BASE_URL: '', ANTHROPIC_API_KEY: '' }],
    ['an operator wants none', { GUILDBOOK_PROPOSER_WRITES_FAMILIES: 'false' }],
    ['the proposer is off', { GUILDBOOK_PROPOSER_ENABLED: 'false' }],
  ])('does nothing if %s', async (_name, environment) => {
    const { model, ask } = await start(environment);
    expect(model.name).toBeUndefined();
    expect(await ask(familyQuestion())).toEqual(NOTHING_ASKED);
    expect(await model.known([familyPrint('1')])).toEqual(new Map());
    expect(model.promptOf(familyQuestion()).user).toContain('One dossier:');
    expect(api.requests).toEqual([]);
  });
});
