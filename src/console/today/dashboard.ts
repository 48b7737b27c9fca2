import type { ProposalSummary } from '../../approvals/proposals/proposals.schema.js';
import type { Cycle } from '../../evolve/cycle/cycles.schema.js';
import { type SupportLevel, supportInWords } from '../../evolve/support/support-level.js';
import type { JournalEntry } from '../../journal/journal.schema.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { clip } from '../../untrusted/text/clip.js';
import { kindText } from '../frame/kind-text.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';

/** The queue shows one line of an action, clipped to so many characters. */
const ROW_CHARACTERS = 160;
const SOON_MS = 2 * DAY_MS;

/** The proposals of a page as rows in their order; near-duplicates are grouped under the first of them. */
export function queueRows(items: readonly ProposalSummary[], now: Date) {
  const clusters = new Map<string, ProposalSummary[]>();
  for (const proposal of items)
    clusters.set(proposal.cluster.id, [...(clusters.get(proposal.cluster.id) ?? []), proposal]);
  return [...clusters.values()].flatMap(([best, ...alike]) => (best ? [rowOf(best, alike, now)] : []));
}

/** A row of the queue, with the near-duplicates of its proposal. */
function rowOf(proposal: ProposalSummary, alike: readonly ProposalSummary[], now: Date) {
  const { id, title, action, kind, risk, verdict, impact, evidence, votes, cluster } = proposal;
  return {
    id,
    title,
    action: clip(action.split('\n')[0] ?? '', ROW_CHARACTERS),
    kind,
    risk,
    verdict,
    impact,
    kindSays: kindText(proposal),
    facts: [
      say('dashboard.failures', { n: evidence.failures }),
      say('evidence.agents', { n: evidence.agents }),
      say('evidence.owners', { n: evidence.owners }),
    ],
    votes: votes.needed > 1 ? say('dashboard.votes', { ...votes }) : null,
    submitted: moment(proposal.createdAt, now),
    expires: {
      ...moment(proposal.expiresAt, now),
      isSoon: Date.parse(proposal.expiresAt) - now.getTime() < SOON_MS,
    },
    alike: alike.map((other) => ({ id: other.id, title: other.title })),
    moreAlike: Math.max(0, cluster.size - 1),
  };
}

/** What explains an empty queue. */
export interface EmptyQueueFacts {
  readonly isFiltered: boolean;
  readonly forOthers: number;
  readonly snoozed: number;
  readonly executions: number;
  readonly cycle: Cycle | undefined;
  readonly hasOnlyDryRuns: boolean;
  readonly minConfidence: number;
}

/** Of cycles before support had levels. */
const BEFORE_LEVELS: SupportLevel = { unit: 'agents', needed: 3 };

/** Why the queue is empty, most important reason first. */
export function emptyQueueReasons(facts: EmptyQueueFacts): string[] {
  if (facts.isFiltered) return [say('empty.filtered')];
  const aside = [
    ...(facts.forOthers > 0 ? [say('empty.others', { n: facts.forOthers })] : []),
    ...(facts.snoozed > 0 ? [say('empty.snoozed', { n: facts.snoozed })] : []),
  ];
  if (aside.length > 0) return aside;
  if (facts.executions === 0) return [say('empty.no-executions')];
  if (facts.hasOnlyDryRuns) return [say('empty.only-dry')];
  const report = facts.cycle?.report;
  if (!report) return [say('empty.no-cycle', { n: facts.executions })];
  if (report.executionsRead === 0) return [say('empty.nothing-read')];
  if (report.patterns === 0) return [say('empty.no-pattern', { n: report.executionsRead })];
  const counted = [
    ['empty.below', report.belowThreshold, supportInWords(report.support ?? BEFORE_LEVELS)],
    // As text: a number would get separators for thousands.
    ['empty.low', report.lowConfidence, String(facts.minConfidence)],
    ['empty.approved', report.alreadyApproved, 0],
    ['empty.rejected', report.rememberedRejections, 0],
    ['empty.passing', report.passing, 0],
  ] as const;
  const reasons = counted.flatMap(([key, n, min]) => (n > 0 ? [say(key, { n, min })] : []));
  return reasons.length > 0 ? reasons : [say('empty.decided')];
}

/** The journal actions that the dashboard reports to a reviewer, in the order of its list. */
export const REVIEW_EVENTS = [
  'SKILL_EVOLVER_PROPOSAL_EMITTED',
  'proposal.edited',
  'proposal.approved',
  'proposal.rejected',
  'proposal.reopened',
  'proposal.expired',
  'ORG_SKILL_RETIRED',
] as const;
export const REVIEW_EVENT_LIMIT = 100;

/** What other people and jobs did after a sequence number, one line for each action. */
export function reviewEventLines(
  entries: ReadonlyMap<string, readonly JournalEntry[]>,
  after: number,
  myId: string,
): string[] {
  return REVIEW_EVENTS.flatMap((action) => {
    const fresh = (entries.get(action) ?? []).filter(({ seq, actor }) => seq > after && actor.id !== myId);
    if (fresh.length === 0) return [];
    const people = [...new Set(fresh.flatMap(({ actor }) => (actor.kind === 'job' ? [] : [actor.name])))];
    const line = say(`event.${action}`, { n: fresh.length });
    return [people.length > 0 ? `${line} ${say('event.by', { names: people.join(', ') })}` : line];
  });
}

/** The counts of a cycle without zeros; with `dropped`, only of patterns that were not proposed. */
export function cycleCounts(cycle: Cycle, { dropped = false } = {}): { readonly n: number; readonly says: string }[] {
  const { report } = cycle;
  if (!report) return [];
  const counts = [
    ['submitted', dropped ? 0 : report.emitted],
    ['refreshed', report.alreadyPending],
    ['held', report.heldBack],
    ['below', report.belowThreshold],
    ['low', report.lowConfidence],
    ['approved', report.alreadyApproved],
    ['subsumed', report.subsumed],
    ['rejected', report.rememberedRejections],
    ['passing', report.passing],
  ] as const;
  return counts.flatMap(([name, n]) => (n > 0 ? [{ n, says: say(`dashboard.cycle-${name}`) }] : []));
}
