import type { ProposalSummary } from '../../approvals/proposals/proposals.schema.js';
import { VERDICT_TEXTS } from '../../evidence/predicate/check-words.js';
import type { Cycle } from '../../evolve/cycle/cycles.schema.js';
import { leftOut } from '../../evolve/cycle/not-proposed.schema.js';
import type { JournalEntry } from '../../journal/journal.schema.js';
import { DAY_MS } from '../../platform/base/durations.js';
import type { PromotionSummary } from '../../promote/promotion.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { counted, grouped, moment } from '../frame/in-words.js';
import { kindText } from '../frame/proposal-texts.js';

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
    // Most titles say the action.
    action: action === `${title}.` ? '' : clip(action.split('\n')[0] ?? '', ROW_CHARACTERS),
    kind,
    risk,
    verdict,
    verdictSays: verdict && VERDICT_TEXTS[verdict],
    impact,
    kindSays: kindText(proposal),
    evidence,
    votes,
    needsVotes: votes.needed > 1,
    submitted: moment(proposal.createdAt, now),
    expires: {
      ...moment(proposal.expiresAt, now),
      isSoon: Date.parse(proposal.expiresAt) - now.getTime() < SOON_MS,
    },
    alike: alike.map((other) => ({ id: other.id, title: other.title })),
    moreAlike: Math.max(0, cluster.size - 1),
  };
}

/** The lessons that wait for a person. One that reads like an instruction is read whole before it is verified. */
export function lessonsView(
  { items, total }: { readonly items: readonly PromotionSummary[]; readonly total: number },
  canVerify: boolean,
) {
  const rows = items.map(({ memory: id, discovery, provenance, because, witnessCount }) => ({
    id,
    discovery,
    provenance,
    because,
    again: witnessCount - 1,
    canVerify: canVerify && because !== 'needs_person',
  }));
  return { rows, total, more: total - rows.length, first: rows.find((row) => row.canVerify)?.id ?? null };
}

/** What explains an empty queue. */
export interface EmptyQueueFacts {
  readonly isFiltered: boolean;
  readonly forOthers: number;
  readonly snoozed: number;
  readonly executions: number;
  readonly cycle: Cycle | undefined;
  readonly hasOnlyDryRuns: boolean;
}

/** Why the queue is empty, most important reason first. */
export function emptyQueueReasons(facts: EmptyQueueFacts): string[] {
  if (facts.isFiltered) return ['No pending proposal matches these filters.'];
  const aside = [
    ...(facts.forOthers > 0
      ? [`${counted(facts.forOthers, 'proposal needs', 'proposals need')} the vote of another reviewer.`]
      : []),
    ...(facts.snoozed > 0 ? [`${counted(facts.snoozed, 'proposal is', 'proposals are')} snoozed.`] : []),
  ];
  if (aside.length > 0) return aside;
  if (facts.executions === 0)
    return [
      'No execution has been reported yet. Guildbook learns from what agents did: import some transcripts first.',
    ];
  if (facts.hasOnlyDryRuns) return ['Only dry runs so far. A dry run does not add proposals to the queue.'];
  const report = facts.cycle?.report;
  if (!report)
    return [
      `${counted(facts.executions, 'execution was', 'executions were')} reported, but no cycle has run yet. A cycle looks for problems that came back.`,
    ];
  if (report.executionsRead === 0) return ['The last cycle found no executions in its window.'];
  if (report.patterns === 0)
    return [`The last cycle read ${counted(report.executionsRead, 'execution')} and found no pattern.`];
  const reasons = leftOut(report).map(({ n, says }) => `${counted(n, 'problem')}: ${says}.`);
  return reasons.length > 0 ? reasons : ['All proposals of the last cycle are decided.'];
}

/** The journal actions that the dashboard reports to a reviewer, in the order of its list. */
export const REVIEW_EVENTS = [
  ['SKILL_EVOLVER_PROPOSAL_EMITTED', 'submitted', 'proposal'],
  ['proposal.edited', 'edited', 'proposal'],
  ['proposal.approved', 'approved', ''],
  ['proposal.rejected', 'rejected', ''],
  ['proposal.reopened', 'reopened', ''],
  ['proposal.expired', 'expired', ''],
  ['ORG_SKILL_RETIRED', 'retired', 'skill'],
] as const;
export const REVIEW_EVENT_LIMIT = 100;

/** What other people and jobs did after a sequence number, one line for each action. */
export function reviewEventLines(
  entries: ReadonlyMap<string, readonly JournalEntry[]>,
  after: number,
  myId: string,
): string[] {
  return REVIEW_EVENTS.flatMap(([action, done, noun]) => {
    const fresh = (entries.get(action) ?? []).filter(({ seq, actor }) => seq > after && actor.id !== myId);
    if (fresh.length === 0) return [];
    const people = [...new Set(fresh.flatMap(({ actor }) => (actor.kind === 'job' ? [] : [actor.name])))];
    const line = `${noun === '' ? grouped(fresh.length) : counted(fresh.length, noun)} ${done}`;
    return [people.length > 0 ? `${line} by ${people.join(', ')}` : line];
  });
}

/** What became of the problems of a cycle, without zeros. */
export function cycleCounts({ report }: Cycle): { readonly n: number; readonly says: string }[] {
  if (!report) return [];
  return [...(report.emitted > 0 ? [{ n: report.emitted, says: 'proposed' }] : []), ...leftOut(report)];
}
