import type { ApprovalSummary } from '../../approvals/proposals/approvals.schema.js';
import type { Cycle } from '../../evolve/cycle/cycles.schema.js';
import type { JournalEntry } from '../../journal/journal.schema.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { clip } from '../../untrusted/text/clip.js';
import { say } from '../texts/texts.js';
import { type Moment, moment } from '../texts/times.js';

/** Of an action in the queue, which shows one line of it. */
const ROW_CHARACTERS = 160;
const SOON_MS = 2 * DAY_MS;

/** A line of the queue, near-duplicates folded behind the best of them. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly action: string;
  readonly kind: ApprovalSummary['kind'];
  readonly risk: ApprovalSummary['risk'];
  readonly impact: number;
  readonly facts: readonly string[];
  readonly votes: string | null;
  readonly came: Moment;
  readonly expires: Moment & { readonly isSoon: boolean };
  readonly alike: readonly { readonly id: string; readonly title: string }[];
  readonly moreAlike: number;
}

/** The items of a page as rows, in their order; whoever says nearly the same as a better one stands behind it. */
export function rowsOf(items: readonly ApprovalSummary[], now: Date): Row[] {
  const clusters = new Map<string, ApprovalSummary[]>();
  for (const item of items) clusters.set(item.cluster.id, [...(clusters.get(item.cluster.id) ?? []), item]);
  return [...clusters.values()].flatMap(([best, ...alike]) => (best ? [rowOf(best, alike, now)] : []));
}

function rowOf(item: ApprovalSummary, alike: readonly ApprovalSummary[], now: Date): Row {
  const { id, title, action, kind, risk, impact, evidence, votes, cluster } = item;
  return {
    ...{ id, title, action: clip(action.split('\n')[0] ?? '', ROW_CHARACTERS), kind, risk, impact },
    facts: [
      say('today.failures', { n: evidence.failures }),
      say('today.agents', { n: evidence.agents }),
      say('today.owners', { n: evidence.owners }),
    ],
    votes: votes.needed > 1 ? say('today.votes', { ...votes }) : null,
    came: moment(item.createdAt, now),
    expires: {
      ...moment(item.expiresAt, now),
      isSoon: Date.parse(item.expiresAt) - now.getTime() < SOON_MS,
    },
    alike: alike.map((other) => ({ id: other.id, title: other.title })),
    moreAlike: Math.max(0, cluster.size - 1),
  };
}

/** What is known when there is nothing to show. */
export interface Emptiness {
  readonly isFiltered: boolean;
  readonly forOthers: number;
  readonly later: number;
  readonly executions: number;
  readonly cycle: Cycle | undefined;
  readonly hasOnlyDryRuns: boolean;
  readonly minAgents: number;
  readonly minConfidence: number;
}

/** Why there is nothing to do, in the order in which it matters. */
export function whyEmpty(facts: Emptiness): string[] {
  if (facts.isFiltered) return [say('empty.filtered')];
  const aside = [
    ...(facts.forOthers > 0 ? [say('empty.others', { n: facts.forOthers })] : []),
    ...(facts.later > 0 ? [say('empty.later', { n: facts.later })] : []),
  ];
  if (aside.length > 0) return aside;
  if (facts.executions === 0) return [say('empty.no-executions')];
  if (facts.hasOnlyDryRuns) return [say('empty.only-dry')];
  const report = facts.cycle?.report;
  if (!report) return [say('empty.no-cycle', { n: facts.executions })];
  if (report.executionsRead === 0) return [say('empty.nothing-read')];
  if (report.patterns === 0) return [say('empty.no-pattern', { n: report.executionsRead })];
  const counted = [
    ['empty.below', report.belowThreshold, facts.minAgents],
    ['empty.low', report.lowConfidence, facts.minConfidence],
    ['empty.approved', report.alreadyApproved, 0],
    ['empty.rejected', report.rememberedRejections, 0],
    ['empty.passing', report.passing, 0],
  ] as const;
  const reasons = counted.flatMap(([key, n, min]) => (n > 0 ? [say(key, { n, min: String(min) })] : []));
  return reasons.length > 0 ? reasons : [say('empty.decided')];
}

/** The actions of the journal that are news to a reviewer, in the order in which they are told. */
export const NEWS = [
  'SKILL_EVOLVER_PROPOSAL_EMITTED',
  'approval.edited',
  'approval.approved',
  'approval.rejected',
  'approval.reopened',
  'approval.expired',
  'ORG_SKILL_RETIRED',
] as const;
export const NEWS_LIMIT = 100;

/** What others did since the last visit, one line for each kind of news. */
export function newsOf(entries: ReadonlyMap<string, readonly JournalEntry[]>, after: number, myId: string): string[] {
  return NEWS.flatMap((action) => {
    const fresh = (entries.get(action) ?? []).filter(({ seq, actor }) => seq > after && actor.id !== myId);
    if (fresh.length === 0) return [];
    const people = [...new Set(fresh.flatMap(({ actor }) => (actor.kind === 'job' ? [] : [actor.name])))];
    const line = say(`news.${action}`, { n: fresh.length });
    return [people.length > 0 ? `${line} ${say('news.by', { names: people.join(', ') })}` : line];
  });
}

/** A cycle as counts, or those alone that did not get through; what is zero is left out. */
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
    ['told', report.toldInAnother],
    ['rejected', report.rememberedRejections],
    ['passing', report.passing],
  ] as const;
  return counts.flatMap(([name, n]) => (n > 0 ? [{ n, says: say(`today.cycle-${name}`) }] : []));
}
