import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { PromotionWorker } from '../../src/promote/promotion-worker.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { ANSWERS, type MessagesApi, startMessagesApi } from '../support/messages-api.js';
import { report, run } from '../support/reports.js';

const MODEL = 'second-1';
const tags = ['non-inferable'];

describe('the verifier model', () => {
  let app: TestApplication;
  let second: MessagesApi;

  beforeAll(async () => {
    second = await startMessagesApi();
    second.answer(ANSWERS.message(JSON.stringify({ verdict: 'supports', reason: 'Because I know.' })));
    app = await startTestApplication({
      GUILDBOOK_VERIFIER_MODEL: MODEL,
      GUILDBOOK_VERIFIER_BASE_URL: second.url,
      GUILDBOOK_VERIFIER_DAY_CALLS: '1',
      GUILDBOOK_UPKEEP_CRON: 'off',
    });
  });
  afterAll(async () => {
    await app.close();
    await second.close();
  });

  const evidenceOf = async (memoryId: string) =>
    (await app.database.client.memoryEvidence.findMany({ where: { memoryId } })).map(({ kind, source }) => [
      kind,
      source,
    ]);

  it('is not asked about a memory of an agent that runs on the same model', async () => {
    const { client } = await app.agent('Same');
    const toolCalls = [run('git status')];
    await client.executions.report({
      ...report({ executionId: 'by the same', taskId: 'same', toolCalls }),
      model: MODEL,
    });
    await app.settled();
    const { id } = await client.remember({ lesson: 'The export is best run at night', tags });
    expect(await app.admin.promotions.check(id)).toMatchObject({ because: 'no_evidence', provenance: 'unverified' });
    expect(second.requests).toHaveLength(0);
  });

  it('is asked about a limited number of memories a day; the others stay in the queue with the reason', async () => {
    const { client } = await app.agent('Other');
    const [first, next] = [
      await client.remember({ lesson: 'Zeppelins land against the wind', tags }),
      await client.remember({ lesson: 'Walruses sleep on the ice', tags }),
    ];
    await app.admin.promotions.check(first.id);
    expect(await evidenceOf(first.id)).toEqual([['second_model', MODEL]]);
    expect(await app.admin.promotions.check(next.id)).toMatchObject({
      state: 'unresolved',
      because: 'verifier_over_budget',
      evidence: [],
      provenance: 'unverified',
    });
    expect(second.requests).toHaveLength(1);
    app.clock.advance(DAY_MS + 1_000);
    await app.app.get(PromotionWorker).check(next.id);
    expect(second.requests).toHaveLength(2);
    expect(await evidenceOf(next.id)).toEqual([['second_model', MODEL]]);
  });
});
