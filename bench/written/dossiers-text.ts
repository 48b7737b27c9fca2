import type { MeasuredSet } from '../transfer/measure-set.js';
import type { ReplayedModel } from './replayed-model.js';

/** The question about every family of some sets: its fingerprint, and the text of its dossier as a model reads it. */
export function dossiersText(sets: ReadonlyMap<string, MeasuredSet>, model: ReplayedModel): string {
  return [...sets]
    .flatMap(([name, { families }]) =>
      families.flatMap(({ question }) => {
        if (!question) return [];
        const { family, executions, learnedFrom } = question;
        return [
          `## ${name} ${family}`,
          `half ${learnedFrom}, ${executions} executions in all`,
          model.shown(question),
          '',
        ];
      }),
    )
    .join('\n');
}
