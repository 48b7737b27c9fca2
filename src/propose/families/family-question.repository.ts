import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { FamilyQuestion } from '../../evidence/answers/family-question.js';
import { LessonAnswer } from '../../evidence/answers/lesson-answer.schema.js';
import { Dossier } from '../../evidence/dossier/dossier.schema.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { FamilyPrompt } from './family-prompt.js';

const Question = z.strictObject({
  family: z.string(),
  executions: z.int(),
  dossier: Dossier,
  learnedFrom: z.enum(['a', 'b']),
  rewrite: z.strictObject({ answer: LessonAnswer, problem: z.string() }).exactOptional(),
});

/** A question of a batch, with what is stored beside its answer. */
export interface SentQuestion {
  /** The id of its call. */
  readonly id: string;
  /** The provider, the model and the version of the prompt that were asked. */
  readonly by: string;
  readonly question: FamilyQuestion;
  readonly prompt: Pick<FamilyPrompt, 'hash' | 'shown'>;
}

/** The questions about families in open batches. */
@Injectable()
export class FamilyQuestionRepository {
  async store(
    tx: Tx,
    batchId: string,
    sent: readonly (SentQuestion & { readonly question: Sanitized<FamilyQuestion> })[],
  ): Promise<void> {
    await tx.familyQuestion.createMany({
      data: sent.map(({ id, by, question, prompt: { hash, shown } }) => ({
        id,
        batchId,
        family: question.family,
        by,
        hash,
        shown,
        question: { ...question },
      })),
    });
  }

  /** Returns the questions of a batch by their id. */
  async inBatch(tx: Tx, batchId: string): Promise<Map<string, SentQuestion>> {
    const rows = await tx.familyQuestion.findMany({ where: { batchId } });
    const sent = readRows('family_question', rows, ({ id, by, hash, shown, question }) => ({
      id,
      by,
      prompt: { hash, shown },
      question: Question.parse(question),
    }));
    return new Map(sent.map((one) => [one.id, one]));
  }

  /** Returns the families of all questions, and the hashes of their prompts. */
  async openNames(tx: Tx): Promise<Set<string>> {
    const rows = await tx.familyQuestion.findMany({ select: { family: true, hash: true } });
    return new Set(rows.flatMap(({ family, hash }) => [family, hash]));
  }

  async deleteBatch(tx: Tx, batchId: string): Promise<void> {
    await tx.familyQuestion.deleteMany({ where: { batchId } });
  }
}
