import type { Reading } from '../cases/reading.js';
import { betterThanRepeatingEstimator } from '../drafts/confidence.js';
import { gateFindings } from '../drafts/draft-gates.js';
import { KnownClaims, type KnownClaimsInput } from '../drafts/known-claims.js';
import { plannedDrafts } from '../drafts/planned-draft.js';
import { RepeatRates } from '../drafts/repeat-rates.js';
import type { FamilyIndex } from '../evidence/family-index.js';
import type { FamilyFindings } from '../examination/family-examination.js';
import { type Lesson, lessonsOf } from '../examination/lesson.js';
import { wholeLessons } from '../examination/lesson-check.js';
import { withWinners } from '../examination/writer-competition.js';
import type { CycleSettings, CycleWindow } from './cycle-window.js';
import { type ClassifiedDrafts, DraftClassifier } from './draft-classifier.js';
import { candidateKey, sentencesOf } from './examination-outcome.js';

/** The drafts of a window, and the lessons that they are made from. */
export interface WindowDrafts {
  readonly findings: readonly FamilyFindings[];
  readonly lessons: readonly Lesson[];
  /** By the keys of candidates that have no words, or that the gates refused: what these found. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  /** Lessons of a model that cannot be worded, or that the gates refused. */
  readonly struck: number;
  readonly classified: ClassifiedDrafts;
}

/**
 * Turns what was found into drafts. A lesson that a model wrote and that cannot become a draft is struck out, and the
 * drafts are made again: what the rules wrote about its family stands then.
 */
export function* draftsOf(
  index: FamilyIndex,
  { findings, tables }: CycleWindow,
  known: KnownClaimsInput,
  settings: CycleSettings,
): Reading<WindowDrafts> {
  const refused = new Map<string, readonly string[]>();
  const struck = new Set<string>();
  for (;;) {
    const standing = findings.map((one) => withoutStruck(one, struck, settings.minOwnersForPattern));
    const lessons: Lesson[] = [];
    for (const lesson of lessonsOf(
      standing.map(({ left }) => left),
      settings.minOwnersForPattern,
    ))
      lessons.push(...(yield* wholeLessons(lesson, tables)));
    const rates = new RepeatRates(findings);
    const classifier = new DraftClassifier(new KnownClaims(known), settings, known.rejectedProposals);
    const names = new Set<string>();
    const before = struck.size;
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
        const key = candidateKey(lesson.findings.family, lesson.main);
        refused.set(key, sentencesOf(found));
        if (lesson.main.words) struck.add(key);
        return undefined;
      });
    }
    if (struck.size > before) continue;
    const all = standing.map(({ left, out }) => ({ ...left, candidates: [...left.candidates, ...out] }));
    return { findings: all, lessons, refused, struck: struck.size, classified: classifier.result() };
  }
}

/** The findings without the candidates that were struck out, whose rivals compete again, and these candidates. */
function withoutStruck(
  findings: FamilyFindings,
  struck: ReadonlySet<string>,
  minOwners: number,
): { readonly left: FamilyFindings; readonly out: FamilyFindings['candidates'] } {
  const isOut = (one: FamilyFindings['candidates'][number]): boolean => struck.has(candidateKey(findings.family, one));
  const out = findings.candidates.filter(isOut);
  if (out.length === 0) return { left: findings, out };
  const candidates = withWinners(
    findings.candidates.filter((one) => !isOut(one)),
    minOwners,
  );
  return { left: { ...findings, candidates }, out };
}
