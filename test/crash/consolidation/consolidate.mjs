/**
 * A process of the built program that consolidates the database of its environment, without HTTP, because it starts in a
 * fifth of the server's time. An order is a run, `{ agentId?, aheadMs, killBefore? }`.
 */
import { built, takeOrders } from '../killed-program.mjs';

const { ConsolidateModule } = await built('consolidate/consolidate.module');
const { Consolidation } = await built('consolidate/consolidation.service');
const { jobActor } = await built('journal/actor');

await takeOrders(ConsolidateModule, {
  async execute(get, { agentId }) {
    const run = { ...(agentId ? { agentId } : {}), dryRun: false };
    const { items, busy } = await get(Consolidation).run(jobActor('crash harness'), run);
    const failed = items.filter(({ state }) => state !== 'completed').map(({ failure }) => failure);
    return { runs: items.length, failed, busy: busy.length };
  },
});
