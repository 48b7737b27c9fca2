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
 * The number of people who have to approve. A retirement needs one reviewer. An external edit needs two, because its
 * author is unknown and could be the approver. The database enforces the same rule.
 */
export function quorumFor(kind: ProposalKind, risk: Risk, settings: QuorumSettings, isByHand = false): number {
  if (kind === 'retire') return 1;
  const { approvalQuorum, approvalQuorumHighRisk } = settings;
  const forRisk = risk === 'high' || risk === 'critical' ? approvalQuorumHighRisk : 1;
  return Math.max(approvalQuorum, forRisk, isByHand ? 2 : 1);
}

/**
 * The votes given and needed; `voters` approved this revision. The author of this or an earlier revision and the owner
 * of all agents that it was learned from cannot be the only approver (four-eyes principle).
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

/**
 * The authors after this person edited the proposal. Earlier authors stay listed, because their words may still be in
 * it.
 */
export function withEditor({ editorId, earlierEditorIds }: Authors, by: string): Authors {
  const before = new Set([...earlierEditorIds, ...(editorId === null ? [] : [editorId])]);
  before.delete(by);
  return { editorId: by, earlierEditorIds: [...before] };
}

/**
 * The owners of all agents that a proposal was learned from, as they are spelled: a person may go by name and by
 * address. Empty if an agent has none, or if the list does not hold them all.
 */
export function listedOwners({ owners, seenBy }: Pick<Evidence, 'owners' | 'seenBy'>): string[] {
  const listed = [...new Set(seenBy.flatMap(({ owner }) => owner ?? []))];
  return listed.length === owners && seenBy.every(({ owner }) => owner !== null) ? listed : [];
}

export const isEnough = ({ given, needed }: Votes): boolean => given >= needed;

/** The message to a reviewer whose vote is not enough. `reviewers` is the number of people who can vote on it. */
export function missingVotesMessage({ given, needed }: Votes, reviewers: number): string {
  const more = needed - given;
  const vote = `Your vote is recorded: ${given} of ${needed}. ${more === 1 ? 'One more reviewer has' : `${more} more reviewers have`} to approve the same bytes.`;
  if (reviewers >= needed) return vote;
  return `${vote} There ${reviewers === 1 ? 'is one active reviewer' : `are ${reviewers} active reviewers`} here: invite another one (guildbook people add <name> --email <address> --reviewer), or see "Approve alone" in docs/review-rules.md.`;
}
