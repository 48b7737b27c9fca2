import type { ClaimCase } from '../cases/claim-cases.js';
import type { Reading, TableCache } from '../cases/table-cache.js';
import { draftOf, identityOf } from '../drafts/draft.js';
import { gateFindings } from '../drafts/draft-gates.js';
import { KnownClaims, type KnownClaimsInput } from '../drafts/known-claims.js';
import type { FamilyIndex } from '../evidence/family-index.js';
import type { ExaminationSettings, FamilyFindings } from '../examination/family-examination.js';
import { type Lesson, lessonsOf } from '../examination/lesson.js';
import { wholeLessons } from '../examination/lesson-check.js';
import { candidateKey, sentencesOf } from './cycle-examination.js';
import { type ClassifiedDrafts, type ClassifierSettings, DraftClassifier } from './draft-classifier.js';

/** What a cycle needs to know beside its window. */
export interface CycleSettings extends Omit<ClassifierSettings, 'unit'>, ExaminationSettings {
  readonly minAgentsForPattern: number | 'auto';
  readonly minOwnersForPattern: number;
}

/** The drafts of a window, and the lessons that they are made from. */
interface WindowDrafts {
  readonly lessons: readonly Lesson[];
  /** By the keys of candidates that have no words, or that the gates refused: what these found. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  readonly classified: ClassifiedDrafts;
}

/** Turns what was found into drafts. */
export function* draftsOf(
  index: FamilyIndex,
  findings: readonly FamilyFindings[],
  tables: TableCache,
  known: KnownClaimsInput,
  settings: CycleSettings & ClassifierSettings,
): Reading<WindowDrafts> {
  const lessons: Lesson[] = [];
  for (const lesson of lessonsOf(findings, settings.minOwnersForPattern))
    lessons.push(...(yield* wholeLessons(lesson, tables)));
  const classifier = new DraftClassifier(new KnownClaims(known), settings, known.rejectedProposals);
  const refused = new Map<string, readonly string[]>();
  const names = new Set<string>();
  for (const lesson of lessons) {
    const identity = identityOf(lesson, (tool, action) => index.usingOf(tool, action));
    classifier.add(identity, () => {
      const draft = draftOf(identity, shownIn(lesson, index), names);
      const found = draft ? gateFindings(draft) : [];
      if (draft && found.length === 0) return draft;
      refused.set(candidateKey(lesson.findings.family, lesson.main), sentencesOf(found));
      return undefined;
    });
  }
  return { lessons, refused, classified: classifier.result() };
}

/**
 * The cases of all members of a lesson, of an execution those of one member. It may have left the window since they were
 * found.
 */
function shownIn({ members }: Lesson, { ledger }: FamilyIndex): ClaimCase[] {
  const taken = new Set<string>();
  return members.flatMap(({ candidate }) => {
    const own = (candidate.cases ?? []).filter(
      ({ executionId }) => !taken.has(executionId) && ledger.numberOf(executionId) !== undefined,
    );
    for (const { executionId } of own) taken.add(executionId);
    return own;
  });
}
