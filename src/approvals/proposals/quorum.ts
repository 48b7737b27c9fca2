import type { Proposal } from './proposal.js';
import type { ProposalKind, Risk } from './proposals.schema.js';
import type { Evidence } from './proposed-skill.schema.js';

export interface QuorumSettings {
  readonly approvalQuorum: number;
  readonly approvalQuorumHighRisk: number;
}

export interface Votes {
  readonly given: number;
  readonly needed: number;
}

/**
 * How many people have to approve (spec E3). Taking a skill away is one reviewer's act, as a revocation is. Who changed a
 * file by hand is not known and might be the approver: two people are sure to be four eyes. The database has that, too.
 */
export function quorumFor(kind: ProposalKind, risk: Risk, settings: QuorumSettings, isByHand = false): number {
  if (kind === 'retire') return 1;
  const { approvalQuorum, approvalQuorumHighRisk } = settings;
  const forRisk = risk === 'high' || risk === 'critical' ? approvalQuorumHighRisk : 1;
  return Math.max(approvalQuorum, forRisk, isByHand ? 2 : 1);
}

/**
 * Where a vote stands: `voters` approved this very revision. Neither who wrote it or an earlier one nor who owns the
 * agents that it was learned from is its only approver (four eyes).
 */
export function countVotes(
  {
    votesNeeded,
    editorId,
    earlierEditorIds,
    sourceOwnerId,
  }: Pick<Proposal, 'votesNeeded' | keyof Authors | 'sourceOwnerId'>,
  voters: readonly string[],
): Votes {
  const authors = new Set([editorId, ...earlierEditorIds, sourceOwnerId]);
  const isOwn = voters.some((voter) => authors.has(voter));
  return { given: new Set(voters).size, needed: Math.max(votesNeeded, isOwn ? 2 : 1) };
}

type Authors = Pick<Proposal, 'editorId' | 'earlierEditorIds'>;

/** Whose hands an item went through when this person rewords it: what somebody wrote before may still be in it. */
export function withEditor({ editorId, earlierEditorIds }: Authors, by: string): Authors {
  const before = new Set([...earlierEditorIds, ...(editorId === null ? [] : [editorId])]);
  before.delete(by);
  return { editorId: by, earlierEditorIds: [...before] };
}

/** Whose agents a proposal was learned from, where they are all one owner's: what they did is that owner's word. */
export function soleOwner({ owners, seenBy }: Pick<Evidence, 'owners' | 'seenBy'>): string | undefined {
  const [first] = seenBy;
  const isOne = owners === 1 && seenBy.every(({ owner }) => owner === first?.owner);
  return isOne ? (first?.owner ?? undefined) : undefined;
}

export const isEnough = ({ given, needed }: Votes): boolean => given >= needed;

/** What a reviewer whose vote was not enough is told. `reviewers` is how many could vote at all. */
export function missingVotesMessage({ given, needed }: Votes, reviewers: number): string {
  const more = needed - given;
  const vote = `Your vote is recorded: ${given} of ${needed}. ${more === 1 ? 'One more reviewer has' : `${more} more reviewers have`} to approve the same bytes.`;
  if (reviewers >= needed) return vote;
  return `${vote} There ${reviewers === 1 ? 'is one active reviewer' : `are ${reviewers} active reviewers`} here: invite another one (guildbook people add --reviewer), or see "Approve alone" in docs/review-rules.md.`;
}
