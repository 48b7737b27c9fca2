import { ClaimIndex, type Finding } from './claim-index.js';
import type { CycleDraft } from './draft.js';
import type { Claim } from './supersession.js';

/** An approved org skill; fingerprints where it came from a pattern. */
export interface OrgEntry extends Claim {
  id: string;
  fingerprints?: readonly string[];
  actionFingerprint?: string;
}

export interface PendingItem extends Claim {
  id: string;
  fingerprints?: readonly string[];
  actionFingerprint?: string;
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

/** What is approved, waiting or was rejected, by fingerprint and by meaning. */
export class KnownClaims {
  private readonly index = new ClaimIndex();
  private readonly pendingBy = new Map<string, string>();
  private readonly approvedBy = new Map<string, string>();
  private readonly rejectedBy = new Map<string, RejectedFingerprint[]>();

  constructor(input: KnownInput) {
    for (const entry of input.orgEntries) {
      this.index.add(`org:${entry.id}`, entry);
      for (const print of entry.fingerprints ?? []) {
        this.approvedBy.set(`${print} ${entry.actionFingerprint ?? ''}`, entry.id);
      }
    }
    for (const item of input.pendingItems) {
      this.index.add(`item:${item.id}`, item);
      for (const print of item.fingerprints ?? []) this.pendingBy.set(print, item.id);
    }
    for (const rejection of input.rejectedFingerprints) {
      const list = this.rejectedBy.get(rejection.fingerprint);
      if (list) list.push(rejection);
      else this.rejectedBy.set(rejection.fingerprint, [rejection]);
    }
  }

  pending({ fingerprints }: CycleDraft): string | undefined {
    return fingerprints.map((print) => this.pendingBy.get(print)).find((id) => id !== undefined);
  }

  /** Approved with this very action: proposing it again with slightly other figures would only tire the reviewer. */
  approved({ fingerprints, actionFingerprint }: CycleDraft): string | undefined {
    return fingerprints
      .map((print) => this.approvedBy.get(`${print} ${actionFingerprint}`))
      .find((id) => id !== undefined);
  }

  rejections({ fingerprints }: CycleDraft): RejectedFingerprint[] {
    return fingerprints.flatMap((print) => this.rejectedBy.get(print) ?? []);
  }

  /** Sets the draft's kind; returns the id of a pending item that asks for the same. */
  compare(draft: CycleDraft): string | undefined {
    const { condition, action, confidence } = draft.proposal;
    const evidence = draft.evidence.counts.executions;
    const findings = this.index.check({ condition, action, confidence, evidence, setting: draft.setting });
    const ids = (verdict: Finding['verdict'], prefix: string): string[] =>
      findings.filter((f) => f.verdict === verdict && f.id.startsWith(prefix)).map((f) => f.id.slice(prefix.length));
    draft.conflictsWith = ids('CONFLICT', 'org:');
    draft.conflictsWithPending = ids('CONFLICT', 'item:');
    const conflicts = draft.conflictsWith.length + draft.conflictsWithPending.length;
    draft.supersedes = conflicts > 0 ? [] : ids('FULL', 'org:');
    if (conflicts > 0) draft.kind = 'conflict';
    else if (draft.supersedes.length > 0) draft.kind = 'supersede';
    return draft.kind === 'new_skill' ? ids('FULL', 'item:')[0] : undefined;
  }
}
