import { Injectable } from '@nestjs/common';
import type { Wording } from '../../approvals/proposals/proposed-skill.schema.js';
import { ProposalQueue } from '../../approvals/queue/proposal-queue.service.js';
import { patternKey } from '../../capture/observations/fingerprint.js';
import { WordingModel } from '../../propose/questions/wording-model.service.js';
import type { Draft, TestedDraft, WordedDraft } from '../drafts/draft.js';
import { applyModelWords, promptRecordsOf } from './model-words.js';
import { groundingProblem } from './wording-grounding.js';
import { WordingTally } from './wording-tally.js';

const BY_RULES: Wording = { by: 'rules', words: null, reason: null };

/** The cycle for which drafts are worded. */
export interface WordingContext {
  readonly id: string;
  readonly tally: WordingTally;
  /** Called before a step that may take this long. */
  readonly extendLease: (milliseconds: number) => Promise<void>;
}

/** Gives drafts their final words: those of a model if one is configured, else those of the rules. */
@Injectable()
export class DraftWording {
  constructor(
    private readonly wording: WordingModel,
    private readonly queue: ProposalQueue,
  ) {}

  async wordNew(draft: TestedDraft, cycle: WordingContext): Promise<WordedDraft> {
    return this.worded(draft, await this.requestWords(draft, cycle), cycle, false);
  }

  /**
   * Words a draft that refreshes a pending proposal. If the action is the same, the current words stay, from the rules
   * or from a model. Another action is worded again, unless a person edited the proposal or voted for it.
   */
  async wordPending(proposalId: string, draft: TestedDraft, cycle: WordingContext): Promise<WordedDraft> {
    const pending = await this.queue.wording(proposalId);
    // The proposal was decided meanwhile; the queue will refuse to refresh it.
    if (!pending) return { ...draft, wording: BY_RULES };
    const isSame = pending.actionFingerprint === draft.actionFingerprint;
    if (!isSame && !pending.touchedByReviewer) return this.wordNew(draft, cycle);
    const { by, words, reason } = (isSame ? pending.wording : undefined) ?? BY_RULES;
    // The new evidence may no longer support the words.
    const problem = words ? groundingProblem(words, draft) : null;
    const current = problem ? { ...BY_RULES, reason: problem } : { by, words, reason };
    return this.worded(draft, current, cycle, !problem);
  }

  private async requestWords(draft: Draft, { id: cycleId, extendLease }: WordingContext): Promise<Wording> {
    if (this.wording.name === undefined) return BY_RULES;
    await extendLease(this.wording.maxDurationMs);
    const worded = await this.wording.word({
      cycleId,
      pattern: patternKey(draft.fingerprint),
      records: promptRecordsOf(draft),
      problem: (words) => groundingProblem(words, draft),
    });
    if (!worded) return BY_RULES;
    return worded.outcome === 'written'
      ? { by: worded.by, words: worded.text, reason: null }
      : { ...BY_RULES, reason: worded.reason };
  }

  private worded(draft: TestedDraft, wording: Wording, { tally }: WordingContext, isKept: boolean): WordedDraft {
    tally.add(wording, isKept);
    const { words } = wording;
    return { ...draft, wording, ...(words ? { text: applyModelWords(draft.text, words) } : {}) };
  }
}
