import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { storedMemory } from '../support/memories.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  app = await startTestApplication({}, false, { promotionBudget: 2 });
  ada = await app.agent('Ada');
});
afterAll(() => app.close());

const checked = () => app.database.client.promotion.count({ where: { checkedAt: { not: null } } });

describe('the budget of the promotion', () => {
  it('is not raised by recalls: waiting memories are checked in the next minutes, and requested ones at once', async () => {
    for (let n = 0; n < 5; n += 1)
      await storedMemory(app.database, {
        discovery: `The petrel mirror ${n}`,
        agentId: ada.id,
        createdAt: app.clock.now(),
      });
    for (let n = 0; n < 3; n += 1) {
      expect((await ada.client.recall({ query: 'petrel mirror', diversify: false })).memories.length).toBeGreaterThan(
        0,
      );
      await app.settled();
    }
    expect(await checked()).toBe(2);
    const left = await app.database.client.promotion.findFirstOrThrow({ where: { checkedAt: null } });
    await app.admin.promotions.check(left.memoryId);
    expect(await checked()).toBe(3);
    app.clock.advance(MINUTE_MS);
    await ada.client.recall({ query: 'petrel mirror', diversify: false });
    await app.settled();
    expect(await checked()).toBe(5);
  });
});
