import { wideningOf } from '../../evidence/predicate/binding.js';
import { groupsOf } from '../../platform/base/sum.js';
import { coversApplicability } from '../claims/applicability.js';
import type { ClaimMeanings } from '../claims/claim-meanings.js';
import { type ClaimMatch, ClaimSet } from '../claims/claim-set.js';
import type { Claim } from '../claims/supersession.js';
import { type ComparedDraft, type Draft, type DraftIdentity, draftKey } from './draft.js';
import type { RejectedProposal } from './lowered-rank.js';

/** The claim of a live skill or a pending proposal, with fingerprints if the evolver proposed it. */
export interface KnownClaim extends Claim {
  readonly id: string;
  readonly fingerprints?: readonly string[];
  /** Of a live skill: the skills that were merged into it. */
  readonly merged?: readonly Required<Pick<KnownClaim, 'fingerprints' | 'actionFingerprint'>>[];
}

export interface RejectedFingerprint {
  readonly fingerprint: string;
  readonly actionFingerprint: string;
  /** Who had met it when it was rejected: agents on independent tasks, projects, tasks. */
  readonly agents: number;
  readonly projects: number;
  readonly tasks: number;
  readonly reason: string;
}

export interface KnownClaimsInput {
  readonly orgEntries: Iterable<KnownClaim>;
  readonly pendingProposals: Iterable<KnownClaim>;
  readonly rejectedFingerprints: Iterable<RejectedFingerprint>;
  /** What lowers the drafts that resemble it, in the order of the queue. */
  readonly rejectedProposals?: readonly RejectedProposal[];
  /** With an embedder: the similarity of claims by meaning. */
  readonly meanings?: Pick<ClaimMeanings, 'similarity'>;
}

/** A draft and the pending proposal that it refreshes, or of which it is a special case. */
export interface PendingDraft {
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
  /** A draft of this cycle of which it is a special case, by its key. */
  readonly subsumedByDraft?: string;
  /** Less confident drafts of this cycle that say no more than a part of it, by their keys. */
  readonly covers?: readonly string[];
}

/** Finds approved, pending and rejected claims by fingerprint and by meaning. */
export class KnownClaims {
  private readonly claims = new ClaimSet();
  private readonly pendingBy: ReadonlyMap<string, readonly { readonly proposal: KnownClaim }[]>;
  private readonly approvedBy = new Map<string, KnownClaim>();
  private readonly rejectedBy: ReadonlyMap<string, readonly RejectedFingerprint[]>;
  private readonly meanings: KnownClaimsInput['meanings'];
  /**
   * Pending proposals that a draft of this cycle has refreshed, with where they apply now; undefined if it made them
   * obsolete. Another draft becomes another proposal.
   */
  private readonly refreshed = new Map<string, string | undefined>();

  constructor(input: KnownClaimsInput) {
    this.meanings = input.meanings;
    for (const entry of input.orgEntries) {
      this.claims.add(`org:${entry.id}`, entry);
      for (const { fingerprints = [], actionFingerprint = '' } of [...(entry.merged ?? []), entry])
        for (const print of fingerprints) this.approvedBy.set(`${print} ${actionFingerprint}`, entry);
    }
    const pending = [...input.pendingProposals];
    for (const proposal of pending) this.claims.add(`proposal:${proposal.id}`, proposal);
    this.pendingBy = groupsOf(
      pending.flatMap((proposal) => (proposal.fingerprints ?? []).map((print) => ({ print, proposal }))),
      ({ print }) => print,
    );
    this.rejectedBy = groupsOf(input.rejectedFingerprints, ({ fingerprint }) => fingerprint);
  }

  /**
   * Returns the draft with the pending proposal that it refreshes: one of the same action. Another action against the same
   * failure is another lesson. A broader proposal keeps what it says. The draft names pending proposals that it makes
   * obsolete.
   */
  pending(draft: Draft): PendingDraft | undefined {
    const proposals = this.pendingWithSameAction(draft);
    const open = proposals.filter((one) => !this.refreshed.has(one.id) && !this.covers(one, draft));
    // Prefer the proposal of this family to one that merely covers it.
    const proposal = open.find(({ fingerprints }) => fingerprints?.[0] === draft.fingerprint) ?? open[0];
    if (!proposal) return undefined;
    const parts = proposals.filter((other) => isCoveredBy(draft, other)).map(({ id }) => id);
    const makesObsolete = this.refreshPending(draft, proposal.id, parts);
    const verdict = draftComparisonOf(this.matchesOf(claimOf(draft)));
    return { proposalId: proposal.id, draft: { ...draft, ...verdict, makesObsolete } };
  }

  /** Returns the draft with a pending proposal of the same action that holds in more cases: it adds nothing to that. */
  coveredByPending(draft: Draft): PendingDraft | undefined {
    const proposal = this.pendingWithSameAction(draft).find((one) => this.covers(one, draft));
    if (!proposal) return undefined;
    const verdict = draftComparisonOf(this.matchesOf(claimOf(draft)));
    return { proposalId: proposal.id, draft: { ...draft, ...verdict, makesObsolete: [] } };
  }

  /** Adds a draft, with which later drafts of this cycle are compared. */
  propose(draft: Draft): void {
    this.claims.add(`draft:${draftKey(draft)}`, claimOf(draft));
  }

  /** Returns whether the draft may refresh a pending proposal. */
  mayBePending(draft: DraftIdentity): boolean {
    return this.pendingWithSameAction(draft).length > 0;
  }

  /**
   * Returns the approved entry with the same action: proposing it again with slightly other figures would only cost the
   * reviewer time. An entry that says less than the draft does not count.
   */
  approved(draft: DraftIdentity): string | undefined {
    const entries = this.approvedWithSameAction(draft);
    return entries.find((entry) => !isCoveredBy(draft, entry) && !widens(draft, entry))?.id;
  }

  rejections({ fingerprints }: DraftIdentity): RejectedFingerprint[] {
    return fingerprints.flatMap((print) => this.rejectedBy.get(print) ?? []);
  }

  /** Compares a draft with all claims: returns its kind, and what subsumes it. */
  compare(draft: Draft): Compared {
    const matches = this.matchesOf(claimOf(draft));
    const [widened] = this.approvedWithSameAction(draft).filter((entry) => widens(draft, entry));
    const compared = draftComparisonOf(matches);
    const verdict =
      widened && compared.kind !== 'conflict'
        ? { ...compared, kind: 'supersede' as const, supersedes: [widened.id] }
        : compared;
    const { obsolete = [], ...subsumption } = this.subsumptionOf(draft, verdict.kind, matches);
    return {
      draft: { ...draft, ...verdict, makesObsolete: obsolete },
      subsumption,
    };
  }

  private subsumptionOf(draft: Draft, kind: ComparedDraft['kind'], matches: readonly ClaimMatch[]): Subsumption {
    if (kind === 'conflict') return {};
    const claim = claimOf(draft);
    const subsumingIds = this.claims.subsumingIds(claim);
    const covers = idsOf(matches, 'FULL', 'draft:');
    const subsumedByDraft = subsumingIds
      .flatMap((id) => stripPrefix('draft:', id))
      .find((key) => !covers.includes(key));
    if (subsumedByDraft !== undefined) return { subsumedByDraft };
    const subsumption = kind === 'new_skill' ? this.subsumptionByKnown(draft, subsumingIds, matches) : {};
    if (subsumption.subsumedByApproved !== undefined || subsumption.subsumedByPending !== undefined) return subsumption;
    for (const key of covers) this.claims.remove(`draft:${key}`);
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

  /**
   * Compares by words and, with an embedder, by meaning: a paraphrase may share no word with the claim that it repeats.
   * Contradictions are found by words in either case.
   */
  private matchesOf(claim: Claim): ClaimMatch[] {
    return this.claims.compare(claim, this.meanings ? { semantic: this.meanings.similarity } : {});
  }

  private pendingWithSameAction({ fingerprints, actionFingerprint }: DraftIdentity): KnownClaim[] {
    return fingerprints
      .flatMap((print) => (this.pendingBy.get(print) ?? []).map(({ proposal }) => proposal))
      .filter((proposal) => proposal.actionFingerprint === actionFingerprint);
  }

  /** Returns whether a pending proposal, as it is now, holds in more cases than a draft of the same action. */
  private covers({ id, applicability }: KnownClaim, draft: DraftIdentity): boolean {
    const now = this.refreshed.has(id) ? this.refreshed.get(id) : applicability;
    if (now === undefined) return false;
    return coversApplicability(now, draft.applicability);
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
      this.refreshed.set(id, id === proposalId ? draft.applicability : undefined);
      this.claims.remove(`proposal:${id}`);
    }
    this.claims.add(`proposal:${proposalId}`, claimOf(draft));
    return obsolete;
  }
}

type DraftComparison = Omit<ComparedDraft, keyof Draft | 'makesObsolete'>;

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
  const { condition, action } = text;
  const { counts, predicate, binding, confidence } = evidence;
  return {
    condition,
    action,
    confidence,
    evidence: counts.executions,
    applicability,
    actionFingerprint,
    binding,
    ...(predicate.learned ? { learned: predicate.learned } : {}),
  };
}

/** Returns whether the draft was confirmed where the approved lesson does not hold yet. */
function widens({ evidence }: DraftIdentity, { binding }: KnownClaim): boolean {
  const found = wideningOf(binding, evidence.binding);
  return found.length > 0 && found.every(({ now }) => now === null);
}

/** Returns whether a claim has the same remedy for an applicability within that of the draft. */
function isCoveredBy({ applicability, actionFingerprint }: DraftIdentity, claim: Claim): boolean {
  if (claim.applicability === undefined || claim.actionFingerprint !== actionFingerprint) return false;
  return coversApplicability(applicability, claim.applicability);
}

const idsOf = (matches: readonly ClaimMatch[], verdict: ClaimMatch['verdict'], prefix: string): string[] =>
  matches.filter((match) => match.verdict === verdict).flatMap(({ id }) => stripPrefix(prefix, id));

const stripPrefix = (prefix: string, id: string): string[] => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []);
