import { execFileSync } from 'node:child_process';
import type { Approval } from '../../src/approvals/proposals/approvals.schema.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { GuildbookError } from '../../src/client/guildbook.js';
import type { TestApplication } from './application.js';
import { submitted } from './submission.js';

/** What a race left behind, counted where it counts and not where it was said. */
export interface RaceResult {
  readonly items: number;
  readonly attempts: number;
  /** Answers by what they said: `approved`, or status and code. */
  readonly answers: Readonly<Record<string, number>>;
  /** Items with exactly as many decisions as it takes, one org entry, one outbox row, one approval in the journal and one commit. */
  readonly exactlyOnce: number;
  readonly orgMemory: number;
  readonly publications: number;
  readonly commits: number;
  /** Contenders whose refusal is in the journal. */
  readonly refusalsJournalled: number;
  readonly journalIntact: boolean;
}

/** Signs in that many reviewers, a few at a time. */
export async function reviewersOf(app: TestApplication, count: number): Promise<Guildbook[]> {
  const clients: Guildbook[] = [];
  for (let n = 0; n < count; n += 1) clients.push((await app.person(`Racer ${n}`, { reviewer: true })).client);
  return clients;
}

/** Every contender approves every item, all at the same moment; item after item. `votes` is how many it takes. */
export async function race(
  app: TestApplication,
  items: number,
  contenders: readonly Guildbook[],
  title: string,
  votes = 1,
): Promise<RaceResult> {
  const raced: Approval[] = [];
  const answers: Record<string, number> = {};
  for (let n = 0; n < items; n += 1) {
    const item = await submitted(app, `${title} ${n}`);
    raced.push(item);
    const attempts = contenders.map((contender) => contender.approvals.approve(item.id, item.artifactSha256));
    for (const answer of await Promise.all(attempts.map(saidBy))) answers[answer] = (answers[answer] ?? 0) + 1;
  }
  await app.settled();
  return { items, attempts: items * contenders.length, answers, ...(await leftBehind(app, raced, votes)) };
}

const saidBy = (attempt: Promise<{ state: string }>): Promise<string> =>
  attempt.then(
    ({ state }) => state,
    (error: unknown) =>
      error instanceof GuildbookError ? `${error.problem.status} ${error.problem.code}` : String(error),
  );

async function leftBehind(
  app: TestApplication,
  items: readonly Approval[],
  votes: number,
): Promise<Omit<RaceResult, 'items' | 'attempts' | 'answers'>> {
  const { client } = app.database;
  const ids = items.map(({ id }) => id);
  const tally = (found: readonly (string | null)[]) => {
    const counts = new Map<string, number>();
    for (const id of found) if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  };
  const memories = await client.memory.findMany({ where: { approvalId: { in: ids }, scope: 'org' } });
  const publications = await client.publication.findMany({ where: { approvalId: { in: ids } } });
  const decisions = await client.approvalDecision.findMany({ where: { itemId: { in: ids } } });
  const entries = await client.journalEntry.findMany({ where: { subjectId: { in: ids } } });
  const log = execFileSync('git', ['-C', app.skillsDir, 'log', '--format=%B', 'main'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const committed = [...log.matchAll(/^Guildbook-Approval: (\S+)$/gm)].map(([, id]) => id ?? '');
  const approved = entries.filter(({ action }) => action === 'approval.approved').map(({ subjectId }) => subjectId);
  const voted = tally(decisions.map(({ itemId }) => itemId));
  const tallies = [
    tally(memories.map(({ approvalId }) => approvalId)),
    tally(publications.map(({ approvalId }) => approvalId)),
    tally(approved),
    tally(committed),
  ];
  const { intact } = await app.admin.journal.verify();
  return {
    exactlyOnce: ids.filter((id) => voted.get(id) === votes && tallies.every((counts) => counts.get(id) === 1)).length,
    orgMemory: memories.length,
    publications: publications.length,
    commits: committed.filter((id) => ids.includes(id)).length,
    refusalsJournalled: entries.filter(({ action }) => action === 'approval.refused').length,
    journalIntact: intact,
  };
}
