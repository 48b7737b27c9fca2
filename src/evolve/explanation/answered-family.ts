import type { FamilyAnswer } from '../../evidence/answers/family-question.js';
import type { StoredFamily } from '../cycle/candidates.schema.js';
import { maySee, writingOf } from '../writers/model-writer.js';
import type { FamilyExplanation } from './family-explanation.schema.js';

type Row<Part extends 'answer' | 'gates'> = NonNullable<FamilyExplanation[Part]>;

export function answerRow(found: FamilyAnswer & { readonly askedAt: Date }): Row<'answer'> {
  const { by, hash, askedAt, executions, learnedFrom, rewritten, answer } = found;
  return { by, hash, askedAt: askedAt.toISOString(), executions, learnedFrom, rewritten, answer };
}

/**
 * What the gates make of a stored answer. They are pure, so this is what the cycle found, which also tried the predicate
 * on the executions of the half: that is taken from what the cycle stored.
 */
export function gatesOf(found: FamilyAnswer, { writing }: Pick<StoredFamily, 'writing'>): Row<'gates'> {
  const { candidates, declined, rejected } = writingOf(found.by, found);
  const [tried] = writing?.by === found.by && candidates.length > 0 ? writing.rejected : [];
  return {
    declined: declined ? `${declined.kind}: ${declined.reason}` : null,
    findings: [...(rejected?.findings ?? [])],
    problem: rejected?.problem ?? tried ?? null,
    removed: candidates.flatMap(({ words }) => words?.removed ?? []),
    passed: candidates.length > 0 && tried === undefined,
  };
}

/** Why no model has answered. */
export function unansweredBecause(
  model: string | undefined,
  { question, dossier, passes = false }: StoredFamily,
): NonNullable<FamilyExplanation['unanswered']> {
  if (model === undefined) return 'rules_only';
  if (passes) return 'passes';
  const asked = question?.dossier ?? dossier;
  if (maySee(asked)) return 'waiting';
  return asked.origins < 2 ? 'one_origin' : 'nothing_to_show';
}
