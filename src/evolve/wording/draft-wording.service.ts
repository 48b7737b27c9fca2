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

/** A cycle, as far as its wording is concerned. */
export interface WordingContext {
  readonly id: string;
  readonly tally: WordingTally;
  /** Called before something that may take so long. */
  readonly extendLease: (milliseconds: number) => Promise<void>;
}

/** Gives drafts that go into the queue their last words: a model's where one is configured, else those of the rules. */
@Injectable()
export class DraftWording {
  constructor(
    private readonly wording: WordingModel,
    private readonly queue: ProposalQueue,
  ) {}

  /** What will be submitted. */
  async wordNew(draft: TestedDraft, cycle: WordingContext): Promise<WordedDraft> {
    return this.worded(draft, await this.asked(draft, cycle), cycle, false);
  }

  /**
   * New evidence for an item that waits. While it asks for the same, its words stay, of whom they may be; another action is
   * worded anew, unless a person edited the item or voted for it.
   */
  async wordPending(proposalId: string, draft: TestedDraft, cycle: WordingContext): Promise<WordedDraft> {
    const pending = await this.queue.wording(proposalId);
    // It was decided meanwhile: the queue refuses to refresh it, whatever its words are.
    if (!pending) return { ...draft, wording: BY_RULES };
    const isSame = pending.actionFingerprint === draft.actionFingerprint;
    if (!isSame && !pending.touchedByReviewer) return this.wordNew(draft, cycle);
    const { by, words, reason } = (isSame ? pending.wording : undefined) ?? BY_RULES;
    // Other evidence may bear out other words.
    const problem = words ? groundingProblem(words, draft) : null;
    const kept = problem ? { ...BY_RULES, reason: problem } : { by, words, reason };
    return this.worded(draft, kept, cycle, !problem);
  }

  private async asked(draft: Draft, { id: cycleId, extendLease: holdFor }: WordingContext): Promise<Wording> {
    if (this.wording.name === undefined) return BY_RULES;
    await holdFor(this.wording.maxDurationMs);
    const worded = await this.wording.word({
      cycleId,
      pattern: patternKey(draft.fingerprint),
      records: promptRecordsOf(draft),
      problem: (words) => groundingProblem(words, draft),
    });
    if (!worded) return BY_RULES;
    return worded.outcome === 'worded'
      ? { by: worded.by, words: worded.words, reason: null }
      : { ...BY_RULES, reason: worded.reason };
  }

  private worded(draft: TestedDraft, wording: Wording, { tally }: WordingContext, isKept: boolean): WordedDraft {
    tally.add(wording, isKept);
    const { words } = wording;
    return { ...draft, wording, ...(words ? { text: applyModelWords(draft.text, words) } : {}) };
  }
}
