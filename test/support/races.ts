import { execFileSync } from 'node:child_process';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { GuildbookError } from '../../src/client/guildbook.js';
import type { TestApplication } from './application.js';
import { submitTestProposal } from './proposal-input.js';

/** The effects of a race, counted in the database and in git instead of in the responses. */
export interface RaceResult {
  readonly proposals: number;
  readonly attempts: number;
  /** Number of responses by outcome: `approved`, or status and code. */
  readonly answers: Readonly<Record<string, number>>;
  /** Proposals with exactly the needed decisions, one org entry, one outbox row, one journalled approval and one commit. */
  readonly exactlyOnce: number;
  readonly orgMemory: number;
  readonly publications: number;
  readonly commits: number;
  /** Number of refused approvals in the journal. */
  readonly refusalsJournalled: number;
  readonly journalIntact: boolean;
}

/** Registers `count` reviewers and signs them in. */
export async function reviewersOf(app: TestApplication, count: number): Promise<Guildbook[]> {
  const clients: Guildbook[] = [];
  for (let n = 0; n < count; n += 1) clients.push((await app.person(`Racer ${n}`, { reviewer: true })).client);
  return clients;
}

/** All contenders approve each proposal at the same moment, one proposal after the other. `votes` is the needed number. */
export async function race(
  app: TestApplication,
  items: number,
  contenders: readonly Guildbook[],
  title: string,
  votes = 1,
): Promise<RaceResult> {
  const proposals: ProposalDetails[] = [];
  const answers: Record<string, number> = {};
  for (let n = 0; n < items; n += 1) {
    const proposal = await submitTestProposal(app, `${title} ${n}`);
    proposals.push(proposal);
    const attempts = contenders.map((contender) => contender.proposals.approve(proposal.id, proposal.artifactSha256));
    for (const answer of await Promise.all(attempts.map(outcomeOf))) answers[answer] = (answers[answer] ?? 0) + 1;
  }
  await app.settled();
  return {
    proposals: items,
    attempts: items * contenders.length,
    answers,
    ...(await countEffects(app, proposals, votes)),
  };
}

const outcomeOf = (attempt: Promise<{ state: string }>): Promise<string> =>
  attempt.then(
    ({ state }) => state,
    (error: unknown) =>
      error instanceof GuildbookError ? `${error.problem.status} ${error.problem.code}` : String(error),
  );

async function countEffects(
  app: TestApplication,
  items: readonly ProposalDetails[],
  votes: number,
): Promise<Omit<RaceResult, 'proposals' | 'attempts' | 'answers'>> {
  const { client } = app.database;
  const ids = items.map(({ id }) => id);
  const tally = (found: readonly (string | null)[]) => {
    const counts = new Map<string, number>();
    for (const id of found) if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  };
  const memories = await client.memory.findMany({ where: { proposalId: { in: ids }, scope: 'org' } });
  const publications = await client.publication.findMany({ where: { proposalId: { in: ids } } });
  const decisions = await client.proposalDecision.findMany({ where: { proposalId: { in: ids } } });
  const entries = await client.journalEntry.findMany({ where: { subjectId: { in: ids } } });
  const log = execFileSync('git', ['-C', app.skillsDir, 'log', '--format=%B', 'main'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const committed = [...log.matchAll(/^Guildbook-Approval: (\S+)$/gm)].map(([, id]) => id ?? '');
  const approved = entries.filter(({ action }) => action === 'proposal.approved').map(({ subjectId }) => subjectId);
  const voted = tally(decisions.map(({ proposalId }) => proposalId));
  const tallies = [
    tally(memories.map(({ proposalId }) => proposalId)),
    tally(publications.map(({ proposalId }) => proposalId)),
    tally(approved),
    tally(committed),
  ];
  const { intact } = await app.admin.journal.verify();
  return {
    exactlyOnce: ids.filter((id) => voted.get(id) === votes && tallies.every((counts) => counts.get(id) === 1)).length,
    orgMemory: memories.length,
    publications: publications.length,
    commits: committed.filter((id) => ids.includes(id)).length,
    refusalsJournalled: entries.filter(({ action }) => action === 'proposal.refused').length,
    journalIntact: intact,
  };
}
