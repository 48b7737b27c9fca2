import { ClaimIndex, type Finding } from '../claims/claim-index.js';
import { readSetting, relationOf } from '../claims/setting.js';
import type { Claim } from '../claims/supersession.js';
import type { CycleDraft } from './draft.js';

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
  /** A draft of this cycle of which it is one, by its fingerprint. */
  readonly toldInDraft?: string;
  /** Drafts of this cycle, by their fingerprints, that say no more than a part of it, and less surely. */
  readonly covers?: readonly string[];
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
    const open = items.filter(({ id }) => !this.taken.has(id));
    // Its own before one that merely answers to its pattern, too.
    const item = open.find(({ fingerprints }) => fingerprints?.[0] === draft.fingerprint) ?? open[0];
    if (!item) return undefined;
    this.take(draft, [item.id, ...items.filter((other) => isPartOf(draft, other)).map(({ id }) => id)]);
    this.judge(draft, this.index.check(claimOf(draft)));
    return item.id;
  }

  /** What later drafts of this cycle are compared with, too. */
  propose(draft: CycleDraft): void {
    this.index.add(`draft:${draft.fingerprint}`, claimOf(draft));
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
    this.judge(draft, findings);
    if (draft.kind === 'conflict') return {};
    const telling = this.index.telling(claim);
    const covers = idsOf(findings, 'FULL', 'draft:');
    const toldInDraft = telling.flatMap((id) => without('draft:', id)).find((print) => !covers.includes(print));
    if (toldInDraft !== undefined) return { toldInDraft };
    const said = draft.kind === 'new_skill' ? this.saidBefore(draft, telling, findings) : {};
    if (said.toldInEntry !== undefined || said.toldInItem !== undefined) return said;
    for (const fingerprint of covers) this.index.remove(`draft:${fingerprint}`);
    return { ...said, covers };
  }

  /** By what is approved or waits. */
  private saidBefore(draft: CycleDraft, telling: readonly string[], findings: readonly Finding[]): SaidAlready {
    // Of an approved part of it that is as sure, the whole is nothing that a reviewer has to see: agents are told.
    const [entry] = [...telling.flatMap((id) => without('org:', id)), ...this.approvedAlike(draft).map(({ id }) => id)];
    if (entry !== undefined) return { toldInEntry: entry };
    const [refreshes, ...parts] = idsOf(findings, 'FULL', 'item:').filter((id) => !this.taken.has(id));
    if (refreshes !== undefined) {
      this.take(draft, [refreshes, ...parts]);
      return { refreshes };
    }
    const [item] = telling.flatMap((id) => without('item:', id));
    return item === undefined ? {} : { toldInItem: item };
  }

  /** Conflicts first: names what it cannot hold beside, of what is approved, waits and is proposed, or else replaces. */
  private judge(draft: CycleDraft, findings: readonly Finding[]): void {
    draft.conflictsWith = idsOf(findings, 'CONFLICT', 'org:');
    draft.conflictsWithPending = idsOf(findings, 'CONFLICT', 'item:');
    draft.conflictsWithDrafts = idsOf(findings, 'CONFLICT', 'draft:');
    const conflicts = draft.conflictsWith.length + draft.conflictsWithPending.length + draft.conflictsWithDrafts.length;
    draft.supersedes = conflicts > 0 ? [] : idsOf(findings, 'FULL', 'org:');
    if (conflicts > 0) draft.kind = 'conflict';
    else if (draft.supersedes.length > 0) draft.kind = 'supersede';
  }

  private approvedAlike({ fingerprints, actionFingerprint }: CycleDraft): OrgEntry[] {
    return fingerprints.flatMap((print) => this.approvedBy.get(`${print} ${actionFingerprint}`) ?? []);
  }

  /** The first is taken further, and says what the draft says; the others say no more than it does then. */
  private take(draft: CycleDraft, [first, ...others]: readonly string[]): void {
    if (first === undefined) return;
    draft.makesNeedless = [...new Set(others)].filter((id) => id !== first && !this.taken.has(id));
    for (const id of [first, ...draft.makesNeedless]) {
      this.taken.add(id);
      this.index.remove(`item:${id}`);
    }
    this.index.add(`item:${first}`, claimOf(draft));
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

const idsOf = (findings: readonly Finding[], verdict: Finding['verdict'], prefix: string): string[] =>
  findings.filter((finding) => finding.verdict === verdict).flatMap(({ id }) => without(prefix, id));

const without = (prefix: string, id: string): string[] => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []);

function push<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}
