import { jobActor } from '../../src/journal/actor.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS } from '../../src/platform/database/migrate.js';
import { testProposalInput } from '../support/proposal-input.js';
import { wireServices } from '../support/wired-services.js';

/**
 * Submits `count` new skills that say `says`, and a new version of each live skill that has none pending, at most `count`.
 */
export async function refillQueue(
  where: {
    readonly dataDir: string;
    readonly url: string | undefined;
    /** Of the version that made the database, if it is not this one. */
    readonly migrationsDir?: string;
  },
  count: number,
  label: string,
  says: Parameters<typeof testProposalInput>[1] = {},
): Promise<void> {
  const { dataDir, url, migrationsDir = MIGRATIONS } = where;
  const database = await Database.open({
    ...(url ? { url } : { dataDir }),
    migrationsDir,
  });
  try {
    const { queue, submitProposal, org } = await wireServices(database);
    const from = jobActor('crash harness');
    for (let n = 0; n < count; n += 1)
      await submitProposal.submit(from, testProposalInput(`Skill ${label} number ${n}`, says));
    const pending = new Set((await queue.pending()).map(({ supersedesId }) => supersedesId));
    const live = (await org.live()).filter(({ id }) => !pending.has(id)).slice(0, count);
    for (const { id, skillName } of live) {
      const next = testProposalInput(`Next of ${skillName}`, {
        ...says,
        action: `Write it as the handbook of ${label} has it.`,
      });
      await submitProposal.submit(from, { ...next, kind: 'supersede', supersedesId: id, fingerprint: `next of ${id}` });
    }
  } finally {
    await database.close();
  }
}
