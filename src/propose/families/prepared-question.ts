import type { FamilyAnswer, FamilyQuestion } from '../../evidence/answers/family-question.js';
import { redactDeep, type Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { type FamilyPrompt, familyPrompt } from './family-prompt.js';
import { storable } from './family-reply.js';
import { needsAsking } from './needs-asking.js';

/** A question with its prompt. */
export interface PreparedQuestion {
  readonly question: Sanitized<FamilyQuestion>;
  readonly prompt: FamilyPrompt;
}

/** Redacted before it is shown, so that what is stored is what the model has read. */
export const sanitized = (question: FamilyQuestion): Sanitized<FamilyQuestion> => redactDeep(storable(question)).value;

/**
 * Another predicate is asked for with the dossier of the lesson, because the texts of the lesson rest on it. The numbers
 * of a family that has grown since belong to its next question.
 */
export function prepareQuestion(
  question: FamilyQuestion,
  known: FamilyAnswer | undefined,
  asking: { readonly system: string; readonly by: string },
): PreparedQuestion {
  const { family, executions, dossier, learnedFrom } = question;
  const kind = needsAsking(question, known);
  const prepared: FamilyQuestion =
    kind === 'predicate' && known?.answer && question.rewrite
      ? {
          family,
          executions: known.executions,
          dossier: known.dossier,
          learnedFrom: known.learnedFrom,
          rewrite: { answer: known.answer, problem: question.rewrite.problem },
        }
      : { family, executions, dossier, learnedFrom };
  const clean = sanitized(prepared);
  return { question: clean, prompt: familyPrompt(asking, clean) };
}
