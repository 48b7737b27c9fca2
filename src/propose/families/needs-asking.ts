import type { FamilyAnswer, FamilyQuestion } from '../../evidence/answers/family-question.js';

/** Asked again about a new dossier once this many times as many executions show the failure. */
const GROWTH = 2;

/** What a model is asked: to read the dossier, or for another predicate of the lesson that it wrote about it. */
export type QuestionKind = 'dossier' | 'predicate';

/**
 * Returns what to ask about a family; undefined if its stored answer stands, which may be a lesson, a refusal or an
 * answer that cannot be read. A family that has doubled is asked about again as a whole, and its old predicate no longer
 * matters. A predicate is rewritten once.
 */
export function needsAsking(
  { executions, rewrite }: Pick<FamilyQuestion, 'executions' | 'rewrite'>,
  known: Pick<FamilyAnswer, 'executions' | 'answer' | 'rewritten'> | undefined,
): QuestionKind | undefined {
  if (known === undefined || executions >= GROWTH * known.executions) return 'dossier';
  const canRewrite = rewrite !== undefined && !known.rewritten && Boolean(known.answer?.lesson);
  return canRewrite ? 'predicate' : undefined;
}
