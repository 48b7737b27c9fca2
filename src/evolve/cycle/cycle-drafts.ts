import type { Reading } from '../cases/reading.js';
import { betterThanRepeatingEstimator } from '../drafts/confidence.js';
import { gateFindings } from '../drafts/draft-gates.js';
import { KnownClaims, type KnownClaimsInput } from '../drafts/known-claims.js';
import { plannedDrafts } from '../drafts/planned-draft.js';
import { RepeatRates } from '../drafts/repeat-rates.js';
import type { FamilyIndex } from '../evidence/family-index.js';
import { type Lesson, lessonsOf } from '../examination/lesson.js';
import { wholeLessons } from '../examination/lesson-check.js';
import { candidateKey, sentencesOf } from './cycle-examination.js';
import type { CycleSettings, CycleWindow } from './cycle-window.js';
import { type ClassifiedDrafts, DraftClassifier } from './draft-classifier.js';

/** The drafts of a window, and the lessons that they are made from. */
export interface WindowDrafts {
  readonly lessons: readonly Lesson[];
  /** By the keys of candidates that have no words, or that the gates refused: what these found. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  readonly classified: ClassifiedDrafts;
}

/** Turns what was found into drafts. */
export function* draftsOf(
  index: FamilyIndex,
  { findings, tables }: CycleWindow,
  known: KnownClaimsInput,
  settings: CycleSettings,
): Reading<WindowDrafts> {
  const lessons: Lesson[] = [];
  for (const lesson of lessonsOf(findings, settings.minOwnersForPattern))
    lessons.push(...(yield* wholeLessons(lesson, tables)));
  const rates = new RepeatRates(findings);
  const classifier = new DraftClassifier(new KnownClaims(known), settings, known.rejectedProposals);
  const refused = new Map<string, readonly string[]>();
  const names = new Set<string>();
  const drafts = plannedDrafts(index.ledger, tables, lessons, {
    estimator: settings.estimator ?? betterThanRepeatingEstimator,
    usingOf: (tool, action) => index.usingOf(tool, action),
    otherRepeats: (lesson) => rates.excluding(lesson.findings),
  });
  for (const { lesson, identity, reading } of drafts) {
    const word = classifier.needsWords(identity) ? yield* reading() : undefined;
    classifier.add(identity, () => {
      const draft = word?.(names);
      const found = draft ? gateFindings(draft) : [];
      if (draft && found.length === 0) return draft;
      refused.set(candidateKey(lesson.findings.family, lesson.main), sentencesOf(found));
      return undefined;
    });
  }
  return { lessons, refused, classified: classifier.result() };
}
