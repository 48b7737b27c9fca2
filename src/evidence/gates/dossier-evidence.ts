import type { Dossier } from './dossier.schema.js';

/** What a lesson may rest on: a text that holds its words, and the error lines of its failures. */
export interface LessonEvidence {
  readonly dossierText: string;
  readonly errors: readonly string[];
}

/**
 * Returns the evidence of a dossier for the gates. `shown`: the dossier as its writer read it, which shortens calls; the
 * texts of the dossier are added in full, since the rules write from them.
 */
export function evidenceOfDossier(dossier: Dossier, shown = ''): LessonEvidence {
  const calls = dossier.examples.flatMap(({ before, failed, later }) => [
    ...(before ? [before] : []),
    failed,
    ...later,
  ]);
  return {
    dossierText: [shown, ...textsOf(dossier)].join('\n'),
    errors: calls.flatMap(({ error }) => error ?? []),
  };
}

/** All strings and numbers of a value, in order. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
