import { compareApplicability, readApplicability } from '../claims/applicability.js';
import { ClaimIndex, type ClaimMatch } from '../claims/claim-index.js';
import type { Claim } from '../claims/supersession.js';
import type { ComparedDraft, Draft, DraftIdentity } from './draft.js';

/** The claim of a live skill or a pending proposal, with fingerprints if it came from a pattern. */
export interface KnownClaim extends Claim {
  readonly id: string;
  readonly fingerprints?: readonly string[];
}

export interface RejectedFingerprint {
  readonly fingerprint: string;
  readonly actionFingerprint: string;
  /** Distinct agents behind it when it was rejected. */
  readonly agents: number;
  readonly reason: string;
}

export interface KnownClaimsInput {
  readonly orgEntries: Iterable<KnownClaim>;
  readonly pendingProposals: Iterable<KnownClaim>;
  readonly rejectedFingerprints: Iterable<RejectedFingerprint>;
}

/** A draft that refreshes a pending proposal. */
export interface Refreshed {
  readonly proposalId: string;
  readonly draft: ComparedDraft;
}

/** A draft compared with all known claims, and what subsumes it. */
export interface Compared {
  readonly draft: ComparedDraft;
  readonly subsumption: Subsumption;
}

/** The claims that already say what a draft says. */
interface Subsumption {
  /** A pending proposal that the draft refreshes. */
  readonly refreshes?: string;
  /** Other pending proposals that then say no more than a part of it. */
  readonly obsolete?: readonly string[];
  /** A pending proposal, or a live skill, of which the draft is a special case. */
  readonly subsumedByPending?: string;
  readonly subsumedByApproved?: string;
  /** A draft of this cycle of which it is a special case, by fingerprint. */
  readonly subsumedByDraft?: string;
  /** Less confident drafts of this cycle that say no more than a part of it, by fingerprint. */
  readonly covers?: readonly string[];
}

/** Finds approved, pending and rejected claims by fingerprint and by meaning. */
export class KnownClaims {
  private readonly index = new ClaimIndex();
  private readonly pendingBy = new Map<string, KnownClaim[]>();
  private readonly approvedBy = new Map<string, KnownClaim>();
  private readonly rejectedBy = new Map<string, RejectedFingerprint[]>();
  /** Pending proposals that a draft of this cycle has refreshed. Another draft becomes another proposal. */
  private readonly refreshed = new Set<string>();

  constructor(input: KnownClaimsInput) {
    for (const entry of input.orgEntries) {
      this.index.add(`org:${entry.id}`, entry);
      for (const print of entry.fingerprints ?? [])
        this.approvedBy.set(`${print} ${entry.actionFingerprint ?? ''}`, entry);
    }
    for (const proposal of input.pendingProposals) {
      this.index.add(`proposal:${proposal.id}`, proposal);
      for (const print of proposal.fingerprints ?? []) push(this.pendingBy, print, proposal);
    }
    for (const rejection of input.rejectedFingerprints) push(this.rejectedBy, rejection.fingerprint, rejection);
  }

  /**
   * Returns the draft with the pending proposal that it refreshes. The draft names pending proposals that it makes
   * obsolete.
   */
  pending(draft: Draft): Refreshed | undefined {
    const proposals = draft.fingerprints.flatMap((print) => this.pendingBy.get(print) ?? []);
    const open = proposals.filter(({ id }) => !this.refreshed.has(id));
    // Prefer the proposal of this pattern to one that merely covers it.
    const proposal = open.find(({ fingerprints }) => fingerprints?.[0] === draft.fingerprint) ?? open[0];
    if (!proposal) return undefined;
    const parts = proposals.filter((other) => isCoveredBy(draft, other)).map(({ id }) => id);
    const makesObsolete = this.refreshPending(draft, proposal.id, parts);
    const verdict = draftComparisonOf(this.index.compare(claimOf(draft)));
    return { proposalId: proposal.id, draft: { ...draft, ...verdict, makesObsolete, earlierRejections: [] } };
  }

  /** Adds a draft, with which later drafts of this cycle are compared. */
  propose(draft: Draft): void {
    this.index.add(`draft:${draft.fingerprint}`, claimOf(draft));
  }

  /** Returns whether the draft may refresh a pending proposal. */
  mayBePending({ fingerprints }: DraftIdentity): boolean {
    return fingerprints.some((print) => this.pendingBy.has(print));
  }

  /**
   * Returns the approved entry with the same action: proposing it again with slightly other figures would only cost the
   * reviewer time. An entry that says less than the draft does not count.
   */
  approved(draft: DraftIdentity): string | undefined {
    const entries = this.approvedWithSameAction(draft);
    return entries.find((entry) => !isCoveredBy(draft, entry))?.id;
  }

  rejections({ fingerprints }: DraftIdentity): RejectedFingerprint[] {
    return fingerprints.flatMap((print) => this.rejectedBy.get(print) ?? []);
  }

  /** Compares a draft with all claims: returns its kind, and what subsumes it. `rejections`: those of the draft. */
  compare(draft: Draft, rejections: readonly RejectedFingerprint[]): Compared {
    const matches = this.index.compare(claimOf(draft));
    const verdict = draftComparisonOf(matches);
    const { obsolete = [], ...subsumption } = this.subsumptionOf(draft, verdict.kind, matches);
    const earlierRejections = rejections.map(({ reason }) => reason);
    return {
      draft: { ...draft, ...verdict, makesObsolete: obsolete, earlierRejections },
      subsumption,
    };
  }

  private subsumptionOf(draft: Draft, kind: ComparedDraft['kind'], matches: readonly ClaimMatch[]): Subsumption {
    if (kind === 'conflict') return {};
    const claim = claimOf(draft);
    const subsumingIds = this.index.subsumingIds(claim);
    const covers = idsOf(matches, 'FULL', 'draft:');
    const subsumedByDraft = subsumingIds
      .flatMap((id) => stripPrefix('draft:', id))
      .find((print) => !covers.includes(print));
    if (subsumedByDraft !== undefined) return { subsumedByDraft };
    const subsumption = kind === 'new_skill' ? this.subsumptionByKnown(draft, subsumingIds, matches) : {};
    if (subsumption.subsumedByApproved !== undefined || subsumption.subsumedByPending !== undefined) return subsumption;
    for (const fingerprint of covers) this.index.remove(`draft:${fingerprint}`);
    return { ...subsumption, covers };
  }

  /** Compares with approved and pending claims. */
  private subsumptionByKnown(
    draft: Draft,
    subsumingIds: readonly string[],
    matches: readonly ClaimMatch[],
  ): Subsumption {
    // If a covered skill with the same confidence is approved, a reviewer need not see the broader draft: agents
    // already receive the skill.
    const [entry] = [
      ...subsumingIds.flatMap((id) => stripPrefix('org:', id)),
      ...this.approvedWithSameAction(draft).map(({ id }) => id),
    ];
    if (entry !== undefined) return { subsumedByApproved: entry };
    const [refreshes, ...parts] = idsOf(matches, 'FULL', 'proposal:').filter((id) => !this.refreshed.has(id));
    if (refreshes !== undefined) return { refreshes, obsolete: this.refreshPending(draft, refreshes, parts) };
    const [proposal] = subsumingIds.flatMap((id) => stripPrefix('proposal:', id));
    return proposal === undefined ? {} : { subsumedByPending: proposal };
  }

  private approvedWithSameAction({ fingerprints, actionFingerprint }: DraftIdentity): KnownClaim[] {
    return fingerprints.flatMap((print) => this.approvedBy.get(`${print} ${actionFingerprint}`) ?? []);
  }

  /**
   * The proposal takes the content of the draft. Returns the other proposals that then say no more than a part of it.
   */
  private refreshPending(draft: Draft, proposalId: string, others: readonly string[]): string[] {
    const obsolete = [...new Set(others)].filter((id) => id !== proposalId && !this.refreshed.has(id));
    for (const id of [proposalId, ...obsolete]) {
      this.refreshed.add(id);
      this.index.remove(`proposal:${id}`);
    }
    this.index.add(`proposal:${proposalId}`, claimOf(draft));
    return obsolete;
  }
}

type DraftComparison = Omit<ComparedDraft, keyof Draft | 'makesObsolete' | 'earlierRejections'>;

/** Conflicts come first. Without a conflict, the draft may supersede approved entries. */
function draftComparisonOf(matches: readonly ClaimMatch[]): DraftComparison {
  const conflictsWith = idsOf(matches, 'CONFLICT', 'org:');
  const conflictsWithPending = idsOf(matches, 'CONFLICT', 'proposal:');
  const conflictsWithDrafts = idsOf(matches, 'CONFLICT', 'draft:');
  const isConflict = conflictsWith.length + conflictsWithPending.length + conflictsWithDrafts.length > 0;
  const supersedes = isConflict ? [] : idsOf(matches, 'FULL', 'org:');
  const kind = isConflict ? 'conflict' : supersedes.length > 0 ? 'supersede' : 'new_skill';
  return { kind, supersedes, conflictsWith, conflictsWithPending, conflictsWithDrafts };
}

function claimOf({ text, evidence, applicability, actionFingerprint }: Draft): Claim {
  const { condition, action, confidence } = text;
  return { condition, action, confidence, evidence: evidence.counts.executions, applicability, actionFingerprint };
}

/** Returns whether a claim has the same remedy for an applicability within that of the draft. */
function isCoveredBy({ applicability, actionFingerprint }: DraftIdentity, claim: Claim): boolean {
  if (claim.applicability === undefined || claim.actionFingerprint !== actionFingerprint) return false;
  return compareApplicability(readApplicability(applicability), readApplicability(claim.applicability)) === 'covers';
}

const idsOf = (matches: readonly ClaimMatch[], verdict: ClaimMatch['verdict'], prefix: string): string[] =>
  matches.filter((match) => match.verdict === verdict).flatMap(({ id }) => stripPrefix(prefix, id));

const stripPrefix = (prefix: string, id: string): string[] => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []);

function push<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}
