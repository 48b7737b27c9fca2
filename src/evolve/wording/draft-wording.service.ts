import { Injectable } from '@nestjs/common';
import type { Wording } from '../../approvals/proposals/proposal.schema.js';
import { ApprovalQueue } from '../../approvals/queue/approval-queue.service.js';
import { patternKey } from '../../capture/observations/fingerprint.js';
import { LessonWording } from '../../propose/questions/lesson-wording.service.js';
import type { Draft, TestedDraft, WordedDraft } from '../drafts/draft.js';
import { recordsOf, withWords } from './draft-words.js';
import { objectionTo } from './founded-words.js';
import { WordingTally } from './wording-tally.js';

const BY_RULES: Wording = { by: 'rules', words: null, reason: null };

/** A cycle, as far as its wording is concerned. */
export interface WordedCycle {
  readonly id: string;
  readonly tally: WordingTally;
  /** Called before something that may take so long. */
  readonly holdFor: (milliseconds: number) => Promise<void>;
}

/** Gives drafts that go into the queue their last words: a model's where one is configured, else those of the rules. */
@Injectable()
export class DraftWording {
  constructor(
    private readonly wording: LessonWording,
    private readonly queue: ApprovalQueue,
  ) {}

  /** What will be submitted. */
  async ofNew(draft: TestedDraft, cycle: WordedCycle): Promise<WordedDraft> {
    return this.worded(draft, await this.asked(draft, cycle), cycle, false);
  }

  /**
   * New evidence for an item that waits. While it asks for the same, its words stay, of whom they may be; another action is
   * worded anew, unless a person edited the item or voted for it.
   */
  async ofWaiting(itemId: string, draft: TestedDraft, cycle: WordedCycle): Promise<WordedDraft> {
    const waiting = await this.queue.wording(itemId);
    // It was decided meanwhile: the queue refuses to refresh it, whatever its words are.
    if (!waiting) return { ...draft, wording: BY_RULES };
    const isSame = waiting.actionFingerprint === draft.actionFingerprint;
    if (!isSame && !waiting.isPersons) return this.ofNew(draft, cycle);
    const { by, words, reason } = (isSame ? waiting.wording : undefined) ?? BY_RULES;
    // Other evidence may bear out other words.
    const objection = words ? objectionTo(words, draft) : null;
    const kept = objection ? { ...BY_RULES, reason: objection } : { by, words, reason };
    return this.worded(draft, kept, cycle, !objection);
  }

  private async asked(draft: Draft, { id: cycleId, holdFor }: WordedCycle): Promise<Wording> {
    if (this.wording.name === undefined) return BY_RULES;
    await holdFor(this.wording.longestMs);
    const worded = await this.wording.word({
      cycleId,
      pattern: patternKey(draft.fingerprint),
      records: recordsOf(draft),
      objection: (words) => objectionTo(words, draft),
    });
    if (!worded) return BY_RULES;
    return worded.outcome === 'worded'
      ? { by: worded.by, words: worded.words, reason: null }
      : { ...BY_RULES, reason: worded.reason };
  }

  private worded(draft: TestedDraft, wording: Wording, { tally }: WordedCycle, isKept: boolean): WordedDraft {
    tally.add(wording, isKept);
    const { words } = wording;
    return { ...draft, wording, ...(words ? { proposal: withWords(draft.proposal, words) } : {}) };
  }
}
