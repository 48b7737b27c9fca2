import { ClaimIndex, type Finding } from './claim-index.js';
import type { CycleDraft } from './draft.js';
import { readSetting, relationOf } from './setting.js';
import type { Claim } from './supersession.js';

/** An approved org skill; fingerprints where it came from a pattern. */
export interface OrgEntry extends Claim {
  id: string;
  fingerprints?: readonly string[];
}

export interface PendingItem extends Claim {
  id: string;
  fingerprints?: readonly string[];
}

export interface RejectedFingerprint {
  fingerprint: string;
  actionFingerprint: string;
  /** Distinct agents behind it when it was rejected. */
  agents: number;
  reason: string;
}

export interface KnownInput {
  orgEntries: Iterable<OrgEntry>;
  pendingItems: Iterable<PendingItem>;
  rejectedFingerprints: Iterable<RejectedFingerprint>;
}

/** What says already what a draft says. */
export interface SaidAlready {
  /** A pending item that the draft takes further. */
  readonly refreshes?: string;
  /** A pending item, or a live skill, of which it is a special case. */
  readonly toldInItem?: string;
  readonly toldInEntry?: string;
}

/** What is approved, waiting or was rejected, by fingerprint and by meaning. */
export class KnownClaims {
  private readonly index = new ClaimIndex();
  private readonly pendingBy = new Map<string, PendingItem[]>();
  private readonly approvedBy = new Map<string, OrgEntry>();
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

  /** The pending item that it takes further. Items that say no more than a part of it are named in the draft. */
  pending(draft: CycleDraft): string | undefined {
    const items = draft.fingerprints.flatMap((print) => this.pendingBy.get(print) ?? []);
    const item = items.find(({ id }) => !this.taken.has(id));
    if (!item) return undefined;
    this.take(draft, [item.id, ...items.filter((other) => isPartOf(draft, other)).map(({ id }) => id)]);
    return item.id;
  }

  /**
   * Approved with this very action: proposing it again with slightly other figures would only tire the reviewer. A lesson
   * that says it of more than the approved one is another matter.
   */
  approved(draft: CycleDraft): string | undefined {
    const entries = this.approvedAlike(draft);
    return entries.find((entry) => !isPartOf(draft, entry))?.id;
  }

  rejections({ fingerprints }: CycleDraft): RejectedFingerprint[] {
    return fingerprints.flatMap((print) => this.rejectedBy.get(print) ?? []);
  }

  /** Sets the draft's kind; what says the same already is returned. */
  compare(draft: CycleDraft): SaidAlready {
    const claim = claimOf(draft);
    const findings = this.index.check(claim);
    const ids = (verdict: Finding['verdict'], prefix: string): string[] =>
      findings.filter((f) => f.verdict === verdict).flatMap((f) => without(prefix, f.id));
    draft.conflictsWith = ids('CONFLICT', 'org:');
    draft.conflictsWithPending = ids('CONFLICT', 'item:');
    const conflicts = draft.conflictsWith.length + draft.conflictsWithPending.length;
    draft.supersedes = conflicts > 0 ? [] : ids('FULL', 'org:');
    if (conflicts > 0) draft.kind = 'conflict';
    else if (draft.supersedes.length > 0) draft.kind = 'supersede';
    if (draft.kind !== 'new_skill') return {};
    const telling = this.index.telling(claim);
    // Of an approved part of it that is as sure, the whole is nothing that a reviewer has to see: agents are told.
    const [entry] = [...telling.flatMap((id) => without('org:', id)), ...this.approvedAlike(draft).map(({ id }) => id)];
    if (entry !== undefined) return { toldInEntry: entry };
    const [item] = telling.flatMap((id) => without('item:', id)).filter((id) => !this.taken.has(id));
    if (item !== undefined) return { toldInItem: item };
    const [refreshes, ...parts] = ids('FULL', 'item:').filter((id) => !this.taken.has(id));
    if (refreshes === undefined) return {};
    this.take(draft, [refreshes, ...parts]);
    return { refreshes };
  }

  private approvedAlike({ fingerprints, actionFingerprint }: CycleDraft): OrgEntry[] {
    return fingerprints.flatMap((print) => this.approvedBy.get(`${print} ${actionFingerprint}`) ?? []);
  }

  /** The first is taken further; the others say no more than it does then. */
  private take(draft: CycleDraft, [first, ...others]: readonly string[]): void {
    if (first === undefined) return;
    draft.makesNeedless = [...new Set(others)].filter((id) => id !== first && !this.taken.has(id));
    for (const id of [first, ...draft.makesNeedless]) this.taken.add(id);
  }
}

function claimOf({ proposal, evidence, setting, actionFingerprint }: CycleDraft): Claim {
  const { condition, action, confidence } = proposal;
  return { condition, action, confidence, evidence: evidence.counts.executions, setting, actionFingerprint };
}

/** The same remedy in a setting within that of the draft. */
function isPartOf({ setting, actionFingerprint }: CycleDraft, claim: Claim): boolean {
  if (claim.setting === undefined || claim.actionFingerprint !== actionFingerprint) return false;
  return relationOf(readSetting(setting), readSetting(claim.setting)) === 'covers';
}

const without = (prefix: string, id: string): string[] => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []);

function push<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}
