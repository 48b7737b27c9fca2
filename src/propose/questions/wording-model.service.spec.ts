import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ANSWERS, type MessagesApi, startMessagesApi, USAGE } from '../../../test/support/messages-api.js';
import { WORDS, words } from '../../../test/support/model-words.js';
import type { MovableClock } from '../../../test/support/movable-clock.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import { Ids } from '../../platform/base/ids.js';
import type { Constants } from '../../platform/config/constants.js';
import { CONFIG } from '../../platform/platform.module.js';
import { ProposeModule } from '../propose.module.js';
import { ProposerBudgets } from '../spending/proposer-budgets.service.js';
import { ProposerUsageService } from '../usage/proposer-usage.service.js';
import { ProposerQuestions } from './proposer-questions.service.js';
import { WordingModel, type WordingRequest } from './wording-model.service.js';

const CYCLE = '00000000-0000-4000-8000-000000000001';
const question: WordingRequest = {
  cycleId: CYCLE,
  pattern: '0123456789abcdef',
  records: [{ record: 'lesson', action: 'Run `python3`.' }],
  problem: () => undefined,
};

/** Advances the clock instead of waiting. */
class Patient extends WordingModel {
  readonly waited: number[] = [];
  constructor(
    private readonly time: MovableClock,
    ...[config, ids, questions, budgets]: [
      ConstructorParameters<typeof WordingModel>[0],
      Ids,
      ProposerQuestions,
      ProposerBudgets,
    ]
  ) {
    super(config, time, ids, questions, budgets);
  }
  protected override async pause(milliseconds: number): Promise<void> {
    this.waited.push(milliseconds);
    this.time.advance(milliseconds);
  }
}

describe('the wording model', () => {
  let api: MessagesApi;
  let services: TestServices;
  beforeAll(async () => {
    api = await startMessagesApi();
  });
  afterEach(async () => {
    api.forget();
    await services.close();
  });
  afterAll(() => api.close());

  async function wording(constants: Partial<Constants> = {}): Promise<Patient> {
    const model = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' };
    services = await startServices(ProposeModule, model, constants);
    const [config, ids, questions, budgets] = [
      services.get(CONFIG),
      services.get(Ids),
      services.get(ProposerQuestions),
      services.get(ProposerBudgets),
    ];
    return new Patient(services.clock, config, ids, questions, budgets);
  }

  it('waits for the rate limit before it is called', async () => {
    const model = await wording({ proposerCallsPerMinute: 1 });
    api.answer(words());
    const worded = { outcome: 'written', by: model.name, text: WORDS };
    expect([await model.word(question), await model.word(question)]).toEqual([worded, worded]);
    expect(model.waited).toHaveLength(1);
    expect(model.waited[0]).toBeGreaterThan(50_000);
    expect(model.waited[0]).toBeLessThanOrEqual(60_000);
  });

  it('counts an unknown usage at its maximum', async () => {
    const model = await wording();
    api.answer({ ...ANSWERS.message(JSON.stringify(WORDS)), more: { usage: undefined } });
    expect(await model.word(question)).toMatchObject({ outcome: 'written' });
    const silent = await model.costOf(CYCLE);
    expect(silent.tokens).toBeGreaterThan(1_500 + 1_000);
    api.answer(ANSWERS.hangUp());
    expect(await model.word(question)).toEqual({ outcome: 'rules', reason: 'unavailable' });
    expect((await model.costOf(CYCLE)).tokens).toBe(2 * silent.tokens);
    expect((await services.get(ProposerUsageService).show(30)).outcomes.map(({ outcome }) => outcome)).toEqual([
      'unavailable',
      'worded',
    ]);
  });

  it('backs off after no answer, for lessons and words alike', async () => {
    const model = await wording();
    api.answer(ANSWERS.unauthenticated());
    expect(await model.word(question)).toEqual({ outcome: 'rules', reason: 'unavailable' });
    expect(await services.get(ProposerUsageService).show(30)).toMatchObject({
      state: 'resting',
      total: { calls: 1, usd: 0 },
    });
    expect(await model.word(question)).toEqual({ outcome: 'rules', reason: 'unavailable' });
    expect(api.requests).toHaveLength(1);
    services.clock.advance(31_000);
    api.answer(words());
    expect(await model.word(question)).toMatchObject({ outcome: 'written' });
    expect(await model.costOf(CYCLE)).toEqual({ tokens: USAGE.input_tokens + USAGE.output_tokens, usd: 0.0001632 });
  });

  it('has its call recorded before it is made, with cycle and pattern, which cannot be changed', async () => {
    const model = await wording();
    api.answer(words());
    const calls = services.database.client.proposerCall;
    const under = { cycleId: CYCLE, pattern: '0123456789abcdef', purpose: 'wording', payloadId: null, agentId: null };
    let before: unknown;
    api.whileAnswering(async () => {
      before = await calls.findFirst();
    });
    await model.word(question);
    expect(before).toMatchObject({ ...under, outcome: null, settledAt: null });
    expect(await calls.findFirst()).toMatchObject({ ...under, outcome: 'worded', inputTokens: USAGE.input_tokens });
    await calls.create({
      data: {
        id: CYCLE,
        purpose: 'wording',
        cycleId: CYCLE,
        pattern: 'x',
        proposer: 'p',
        model: 'm',
        costNano: 1n,
        reservedAt: new Date(0),
        inputTokens: 0,
        cacheWriteTokens: 0,
        cacheReadTokens: 0,
        outputTokens: 0,
      },
    });
    await expect(calls.update({ where: { id: CYCLE }, data: { pattern: 'y' } })).rejects.toThrow(
      'settled once and kept',
    );
    const about = { purpose: 'lesson', cycleId: null };
    await expect(calls.update({ where: { id: CYCLE }, data: about })).rejects.toThrow('settled once and kept');
  });
});
