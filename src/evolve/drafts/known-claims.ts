import { compareApplicability, readApplicability } from '../claims/applicability.js';
import { ClaimIndex, type ClaimMatch } from '../claims/claim-index.js';
import type { Claim } from '../claims/supersession.js';
import type { ComparedDraft, Draft } from './draft.js';

/** What a live org skill or a pending item says; fingerprints where it came from a pattern. */
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

/** A draft that takes a pending item further. */
export interface Refreshed {
  readonly proposalId: string;
  readonly draft: ComparedDraft;
}

/** A draft beside all that is known, and what says already what it says. */
export interface Compared {
  readonly draft: ComparedDraft;
  readonly subsumption: Subsumption;
}

/** What says already what a draft says. */
interface Subsumption {
  /** A pending item that the draft takes further. */
  readonly refreshes?: string;
  /** Other pending items that say no more than a part of it then. */
  readonly obsolete?: readonly string[];
  /** A pending item, or a live skill, of which it is a special case. */
  readonly subsumedByPending?: string;
  readonly subsumedByApproved?: string;
  /** A draft of this cycle of which it is one, by its fingerprint. */
  readonly toldInDraft?: string;
  /** Drafts of this cycle, by their fingerprints, that say no more than a part of it, and less surely. */
  readonly covers?: readonly string[];
}

/** What is approved, waiting or was rejected, by fingerprint and by meaning. */
export class KnownClaims {
  private readonly index = new ClaimIndex();
  private readonly pendingBy = new Map<string, KnownClaim[]>();
  private readonly approvedBy = new Map<string, KnownClaim>();
  private readonly rejectedBy = new Map<string, RejectedFingerprint[]>();
  /** Pending items that a draft of this cycle has taken further: another draft is another proposal. */
  private readonly refreshed = new Set<string>();

  constructor(input: KnownClaimsInput) {
    for (const entry of input.orgEntries) {
      this.index.add(`org:${entry.id}`, entry);
      for (const print of entry.fingerprints ?? [])
        this.approvedBy.set(`${print} ${entry.actionFingerprint ?? ''}`, entry);
    }
    for (const item of input.pendingProposals) {
      this.index.add(`item:${item.id}`, item);
      for (const print of item.fingerprints ?? []) push(this.pendingBy, print, item);
    }
    for (const rejection of input.rejectedFingerprints) push(this.rejectedBy, rejection.fingerprint, rejection);
  }

  /** With the pending item that it takes further. Items that say no more than a part of it are named in the draft. */
  pending(draft: Draft): Refreshed | undefined {
    const items = draft.fingerprints.flatMap((print) => this.pendingBy.get(print) ?? []);
    const open = items.filter(({ id }) => !this.refreshed.has(id));
    // Its own before one that merely answers to its pattern, too.
    const item = open.find(({ fingerprints }) => fingerprints?.[0] === draft.fingerprint) ?? open[0];
    if (!item) return undefined;
    const parts = items.filter((other) => isCoveredBy(draft, other)).map(({ id }) => id);
    const makesNeedless = this.refreshPending(draft, item.id, parts);
    const verdict = draftComparisonOf(this.index.compare(claimOf(draft)));
    return { proposalId: item.id, draft: { ...draft, ...verdict, makesNeedless, earlierRejections: [] } };
  }

  /** What later drafts of this cycle are compared with, too. */
  propose(draft: Draft): void {
    this.index.add(`draft:${draft.fingerprint}`, claimOf(draft));
  }

  /**
   * Approved with this very action: proposing it again with slightly other figures would only tire the reviewer. A lesson
   * that says it of more than the approved one is another matter.
   */
  approved(draft: Draft): string | undefined {
    const entries = this.approvedWithSameAction(draft);
    return entries.find((entry) => !isCoveredBy(draft, entry))?.id;
  }

  rejections({ fingerprints }: Draft): RejectedFingerprint[] {
    return fingerprints.flatMap((print) => this.rejectedBy.get(print) ?? []);
  }

  /** With its kind, and what says the same already. `rejections`: those of the draft. */
  compare(draft: Draft, rejections: readonly RejectedFingerprint[]): Compared {
    const matches = this.index.compare(claimOf(draft));
    const verdict = draftComparisonOf(matches);
    const { obsolete: needless, ...subsumptionOf } = this.subsumption(draft, verdict.kind, matches);
    const earlierRejections = rejections.map(({ reason }) => reason);
    return {
      draft: { ...draft, ...verdict, makesNeedless: needless ?? [], earlierRejections },
      subsumption: subsumptionOf,
    };
  }

  private subsumption(draft: Draft, kind: ComparedDraft['kind'], matches: readonly ClaimMatch[]): Subsumption {
    if (kind === 'conflict') return {};
    const claim = claimOf(draft);
    const subsumingIds = this.index.subsumingIds(claim);
    const covers = idsOf(matches, 'FULL', 'draft:');
    const toldInDraft = subsumingIds
      .flatMap((id) => stripPrefix('draft:', id))
      .find((print) => !covers.includes(print));
    if (toldInDraft !== undefined) return { toldInDraft };
    const subsumption = kind === 'new_skill' ? this.subsumptionByKnown(draft, subsumingIds, matches) : {};
    if (subsumption.subsumedByApproved !== undefined || subsumption.subsumedByPending !== undefined) return subsumption;
    for (const fingerprint of covers) this.index.remove(`draft:${fingerprint}`);
    return { ...subsumption, covers };
  }

  /** By what is approved or waits. */
  private subsumptionByKnown(
    draft: Draft,
    subsumingIds: readonly string[],
    matches: readonly ClaimMatch[],
  ): Subsumption {
    // Of an approved part of it that is as sure, the whole is nothing that a reviewer has to see: agents are told.
    const [entry] = [
      ...subsumingIds.flatMap((id) => stripPrefix('org:', id)),
      ...this.approvedWithSameAction(draft).map(({ id }) => id),
    ];
    if (entry !== undefined) return { subsumedByApproved: entry };
    const [refreshes, ...parts] = idsOf(matches, 'FULL', 'item:').filter((id) => !this.refreshed.has(id));
    if (refreshes !== undefined) return { refreshes, obsolete: this.refreshPending(draft, refreshes, parts) };
    const [item] = subsumingIds.flatMap((id) => stripPrefix('item:', id));
    return item === undefined ? {} : { subsumedByPending: item };
  }

  private approvedWithSameAction({ fingerprints, actionFingerprint }: Draft): KnownClaim[] {
    return fingerprints.flatMap((print) => this.approvedBy.get(`${print} ${actionFingerprint}`) ?? []);
  }

  /** The item says what the draft says from now on. Returns those of the others that say no more than it does then. */
  private refreshPending(draft: Draft, proposalId: string, others: readonly string[]): string[] {
    const needless = [...new Set(others)].filter((id) => id !== proposalId && !this.refreshed.has(id));
    for (const id of [proposalId, ...needless]) {
      this.refreshed.add(id);
      this.index.remove(`item:${id}`);
    }
    this.index.add(`item:${proposalId}`, claimOf(draft));
    return needless;
  }
}

type DraftComparison = Omit<ComparedDraft, keyof Draft | 'makesNeedless' | 'earlierRejections'>;

/** Conflicts first: what it cannot hold beside, of what is approved, pending and proposed, or else replaces. */
function draftComparisonOf(matches: readonly ClaimMatch[]): DraftComparison {
  const conflictsWith = idsOf(matches, 'CONFLICT', 'org:');
  const conflictsWithPending = idsOf(matches, 'CONFLICT', 'item:');
  const conflictsWithDrafts = idsOf(matches, 'CONFLICT', 'draft:');
  const isConflict = conflictsWith.length + conflictsWithPending.length + conflictsWithDrafts.length > 0;
  const supersedes = isConflict ? [] : idsOf(matches, 'FULL', 'org:');
  const kind = isConflict ? 'conflict' : supersedes.length > 0 ? 'supersede' : 'new_skill';
  return { kind, supersedes, conflictsWith, conflictsWithPending, conflictsWithDrafts };
}

function claimOf({ proposal, evidence, applicability, actionFingerprint }: Draft): Claim {
  const { condition, action, confidence } = proposal;
  return { condition, action, confidence, evidence: evidence.counts.executions, applicability, actionFingerprint };
}

/** The same remedy in a setting within that of the draft. */
function isCoveredBy({ applicability, actionFingerprint }: Draft, claim: Claim): boolean {
  if (claim.applicability === undefined || claim.actionFingerprint !== actionFingerprint) return false;
  return compareApplicability(readApplicability(applicability), readApplicability(claim.applicability)) === 'covers';
}

const idsOf = (matches: readonly ClaimMatch[], verdict: ClaimMatch['verdict'], prefix: string): string[] =>
  matches.filter((finding) => finding.verdict === verdict).flatMap(({ id }) => stripPrefix(prefix, id));

const stripPrefix = (prefix: string, id: string): string[] => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []);

function push<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}
