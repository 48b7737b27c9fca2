import type { Wording } from '../../approvals/proposals/proposed-skill.schema.js';
import type { WordingCounts } from './wording-counts.schema.js';

/** Counts how the proposals of a cycle were worded. */
export class WordingTally {
  private byModel = 0;
  private kept = 0;
  private byRules = 0;
  private readonly reasons: Record<string, number> = {};

  /** `isKept`: the words are unchanged; an earlier cycle has reported their reason. */
  add({ words, reason }: Wording, isKept: boolean): void {
    if (words === null) this.byRules += 1;
    else if (isKept) this.kept += 1;
    else this.byModel += 1;
    if (reason !== null && !isKept) this.reasons[reason] = (this.reasons[reason] ?? 0) + 1;
  }

  report(): WordingCounts {
    return { byModel: this.byModel, kept: this.kept, byRules: this.byRules, reasons: { ...this.reasons } };
  }
}
