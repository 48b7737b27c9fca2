import type { FamilyAnswer } from '../../src/evidence/answers/family-question.js';
import type { Predicate } from '../../src/evidence/predicate/predicate.schema.js';
import type { LessonWriter, WrittenWords } from '../../src/evolve/writers/lesson-writer.js';

export const WRITTEN: WrittenWords = {
  title: 'Use python3',
  condition: 'A script fails with a syntax error.',
  cause: null,
  steps: ['Use `python3`.'],
  gotchas: [],
  example: null,
  quotes: [],
  confidence: 'high',
  removed: [],
};

/** A writer whose answers all say the same; it is asked about every family. */
export const fixedWriter = (predicate: Predicate, words: Partial<WrittenWords> = {}): LessonWriter => ({
  name: 'fixed',
  question: ({ family: { fingerprint }, dossier, learnedFrom }, executions) => ({
    family: fingerprint,
    executions,
    dossier,
    learnedFrom,
  }),
  write: (_sample, answer) => ({
    candidates: answer
      ? [
          {
            key: 'written',
            how: 'replace',
            action: 'python3',
            label: 'python3',
            taught: [],
            avoided: [],
            predicate,
            by: 'fixed',
            words: { ...WRITTEN, ...words },
            answer: answer.hash,
          },
        ]
      : [],
  }),
});

/** The answer to a question of this writer. */
export const fixedAnswer = (
  { family, dossier, learnedFrom }: Pick<FamilyAnswer, 'family' | 'dossier' | 'learnedFrom'>,
  hash = 'sha256:1',
): FamilyAnswer => ({
  family,
  dossier,
  learnedFrom,
  executions: 1,
  shown: '',
  answer: null,
  by: 'fixed',
  hash,
  rewritten: false,
});
