import { ClaimIndex, type Finding } from '../claims/claim-index.js';
import { readSetting, relationOf } from '../claims/setting.js';
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

export interface KnownInput {
  readonly orgEntries: Iterable<KnownClaim>;
  readonly pendingItems: Iterable<KnownClaim>;
  readonly rejectedFingerprints: Iterable<RejectedFingerprint>;
}

/** A draft that takes a pending item further. */
export interface Refreshed {
  readonly itemId: string;
  readonly draft: ComparedDraft;
}

/** A draft beside all that is known, and what says already what it says. */
export interface Compared {
  readonly draft: ComparedDraft;
  readonly said: SaidAlready;
}

/** What says already what a draft says. */
interface SaidAlready {
  /** A pending item that the draft takes further. */
  readonly refreshes?: string;
  /** Other pending items that say no more than a part of it then. */
  readonly needless?: readonly string[];
  /** A pending item, or a live skill, of which it is a special case. */
  readonly toldInItem?: string;
  readonly toldInEntry?: string;
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
  private readonly taken = new Set<string>();

  constructor(input: KnownInput) {
    for (const entry of input.orgEntries) {
      this.index.add(`org:${entry.id}`, entry);
      for (const print of entry.fingerprints ?? [])
        this.approvedBy.set(`${print} ${entry.actionFingerprint ?? ''}`, entry);
    }
    for (const item of input.pendingItems) {
      this.index.add(`item:${item.id}`, item);
      for (const print of item.fingerprints ?? []) push(this.pendingBy, print, item);
    }
    for (const rejection of input.rejectedFingerprints) push(this.rejectedBy, rejection.fingerprint, rejection);
  }

  /** With the pending item that it takes further. Items that say no more than a part of it are named in the draft. */
  pending(draft: Draft): Refreshed | undefined {
    const items = draft.fingerprints.flatMap((print) => this.pendingBy.get(print) ?? []);
    const open = items.filter(({ id }) => !this.taken.has(id));
    // Its own before one that merely answers to its pattern, too.
    const item = open.find(({ fingerprints }) => fingerprints?.[0] === draft.fingerprint) ?? open[0];
    if (!item) return undefined;
    const parts = items.filter((other) => isPartOf(draft, other)).map(({ id }) => id);
    const makesNeedless = this.take(draft, item.id, parts);
    const verdict = verdictOf(this.index.check(claimOf(draft)));
    return { itemId: item.id, draft: { ...draft, ...verdict, makesNeedless, earlierRejections: [] } };
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
    const entries = this.approvedAlike(draft);
    return entries.find((entry) => !isPartOf(draft, entry))?.id;
  }

  rejections({ fingerprints }: Draft): RejectedFingerprint[] {
    return fingerprints.flatMap((print) => this.rejectedBy.get(print) ?? []);
  }

  /** With its kind, and what says the same already. `rejections`: those of the draft. */
  compare(draft: Draft, rejections: readonly RejectedFingerprint[]): Compared {
    const findings = this.index.check(claimOf(draft));
    const verdict = verdictOf(findings);
    const { needless, ...said } = this.said(draft, verdict.kind, findings);
    const earlierRejections = rejections.map(({ reason }) => reason);
    return { draft: { ...draft, ...verdict, makesNeedless: needless ?? [], earlierRejections }, said };
  }

  private said(draft: Draft, kind: ComparedDraft['kind'], findings: readonly Finding[]): SaidAlready {
    if (kind === 'conflict') return {};
    const claim = claimOf(draft);
    const telling = this.index.telling(claim);
    const covers = idsOf(findings, 'FULL', 'draft:');
    const toldInDraft = telling.flatMap((id) => without('draft:', id)).find((print) => !covers.includes(print));
    if (toldInDraft !== undefined) return { toldInDraft };
    const said = kind === 'new_skill' ? this.saidBefore(draft, telling, findings) : {};
    if (said.toldInEntry !== undefined || said.toldInItem !== undefined) return said;
    for (const fingerprint of covers) this.index.remove(`draft:${fingerprint}`);
    return { ...said, covers };
  }

  /** By what is approved or waits. */
  private saidBefore(draft: Draft, telling: readonly string[], findings: readonly Finding[]): SaidAlready {
    // Of an approved part of it that is as sure, the whole is nothing that a reviewer has to see: agents are told.
    const [entry] = [...telling.flatMap((id) => without('org:', id)), ...this.approvedAlike(draft).map(({ id }) => id)];
    if (entry !== undefined) return { toldInEntry: entry };
    const [refreshes, ...parts] = idsOf(findings, 'FULL', 'item:').filter((id) => !this.taken.has(id));
    if (refreshes !== undefined) return { refreshes, needless: this.take(draft, refreshes, parts) };
    const [item] = telling.flatMap((id) => without('item:', id));
    return item === undefined ? {} : { toldInItem: item };
  }

  private approvedAlike({ fingerprints, actionFingerprint }: Draft): KnownClaim[] {
    return fingerprints.flatMap((print) => this.approvedBy.get(`${print} ${actionFingerprint}`) ?? []);
  }

  /** The item says what the draft says from now on. Returns those of the others that say no more than it does then. */
  private take(draft: Draft, itemId: string, others: readonly string[]): string[] {
    const needless = [...new Set(others)].filter((id) => id !== itemId && !this.taken.has(id));
    for (const id of [itemId, ...needless]) {
      this.taken.add(id);
      this.index.remove(`item:${id}`);
    }
    this.index.add(`item:${itemId}`, claimOf(draft));
    return needless;
  }
}

type Verdict = Omit<ComparedDraft, keyof Draft | 'makesNeedless' | 'earlierRejections'>;

/** Conflicts first: what it cannot hold beside, of what is approved, pending and proposed, or else replaces. */
function verdictOf(findings: readonly Finding[]): Verdict {
  const conflictsWith = idsOf(findings, 'CONFLICT', 'org:');
  const conflictsWithPending = idsOf(findings, 'CONFLICT', 'item:');
  const conflictsWithDrafts = idsOf(findings, 'CONFLICT', 'draft:');
  const isConflict = conflictsWith.length + conflictsWithPending.length + conflictsWithDrafts.length > 0;
  const supersedes = isConflict ? [] : idsOf(findings, 'FULL', 'org:');
  const kind = isConflict ? 'conflict' : supersedes.length > 0 ? 'supersede' : 'new_skill';
  return { kind, supersedes, conflictsWith, conflictsWithPending, conflictsWithDrafts };
}

function claimOf({ proposal, evidence, setting, actionFingerprint }: Draft): Claim {
  const { condition, action, confidence } = proposal;
  return { condition, action, confidence, evidence: evidence.counts.executions, setting, actionFingerprint };
}

/** The same remedy in a setting within that of the draft. */
function isPartOf({ setting, actionFingerprint }: Draft, claim: Claim): boolean {
  if (claim.setting === undefined || claim.actionFingerprint !== actionFingerprint) return false;
  return relationOf(readSetting(setting), readSetting(claim.setting)) === 'covers';
}

const idsOf = (findings: readonly Finding[], verdict: Finding['verdict'], prefix: string): string[] =>
  findings.filter((finding) => finding.verdict === verdict).flatMap(({ id }) => without(prefix, id));

const without = (prefix: string, id: string): string[] => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []);

function push<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}
