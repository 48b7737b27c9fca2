import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { Reading, TableCache } from '../cases/table-cache.js';
import { armsOf } from '../evidence/arms.js';
import { checkPredicate, type HeldOut } from '../evidence/check.js';
import { entrantsOf, type Figures, figuresOf } from '../evidence/comparison.js';
import { halvesOf } from '../evidence/halves.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { isInScope, isObserved } from '../evidence/verdict.js';
import type { ExaminedCandidate } from './family-examination.js';
import { type Lesson, type LessonMember, lessonOf, rankOf, unitedClaim } from './lesson.js';

/**
 * Checks a lesson of several families as a whole. Families in which no execution tried what the others did are left to a
 * lesson of their own. The lesson of all stands only if its own check says as much, and at least half of what it claims
 * belongs to the families, or the rest says the same; otherwise each family has a lesson of its own.
 */
export function* wholeLessons(lesson: Lesson, tables: TableCache): Reading<Lesson[]> {
  const { members } = lesson;
  if (members.length < 2) return [lesson];
  const ids = [...new Set(members.flatMap(({ findings }) => findings.read))].sort();
  return joined(members, yield* tables.read(ids));
}

/** The lessons of candidates with one action: those that stand together, then the others. */
function joined(all: readonly LessonMember[], executions: readonly RecordedExecution[]): Lesson[] {
  const [first, ...others] = all;
  if (!first) return [];
  const { main, findings } = lessonOf([first, ...others]);
  const isMain = ({ candidate }: LessonMember): boolean => candidate === main;
  const reached = all.filter((one) => isMain(one) || reaches(main, one, executions));
  const together = lessonOf([{ candidate: main, findings }, ...reached.filter((one) => !isMain(one))]);
  const whole = wholeOf(together, executions);
  const taken = whole ? reached : all.filter(isMain);
  return [
    whole ?? lessonOf([{ candidate: main, findings }]),
    ...joined(
      all.filter((one) => !taken.includes(one)),
      executions,
    ),
  ];
}

/** Returns whether some execution tried what the candidate teaches after a failure of the other family. */
function reaches(
  { predicate }: ExaminedCandidate,
  { candidate }: LessonMember,
  executions: readonly RecordedExecution[],
): boolean {
  const { learned } = candidate.predicate;
  const about = learned && predicate.learned && { ...predicate.learned, conditions: learned.conditions };
  const tried = about && afterFigures({ learned: about }, executions);
  return tried !== undefined && tried.with.n > 0;
}

/** The lesson for all its families; undefined if its check says less than that of its first family. */
function wholeOf(lesson: Lesson, executions: readonly RecordedExecution[]): Lesson | undefined {
  const { main, members } = lesson;
  // What was learned from all executions, or from the earlier ones of a project, has no half of its own.
  if (members.length < 2 || main.heldOut === undefined || members.some(({ findings }) => findings.split === 'time'))
    return undefined;
  const halves = halvesOf(executions, { by: 'origin' });
  const isFamily = (call: RecordedCall): boolean => members.some(({ findings }) => findings.isMember(call));
  const { predicate } = lesson;
  const check = checkPredicate({
    predicate,
    isFamily,
    held: halves[main.heldOut],
    all: executions,
    split: 'origin',
    versions: versionsOf(members, halves),
  });
  if (rankOf(check) > rankOf(main.check)) return undefined;
  return isInScope(check) || holdsBeyond(predicate, executions, isFamily) ? { ...lesson, check } : undefined;
}

/** What each half taught of all members, if it did of each, to be tested on the other half. */
function versionsOf(
  members: readonly LessonMember[],
  halves: Readonly<Record<'a' | 'b', readonly RecordedExecution[]>>,
): HeldOut[] | undefined {
  const both = members.flatMap(({ candidate }) => candidate.ofHalves ?? []);
  if (both.length < members.length) return undefined;
  const versions = [
    { of: both.map(({ a }) => a), held: halves.b },
    { of: both.map(({ b }) => b), held: halves.a },
  ].flatMap(({ of, held }) => {
    const main = of[0]?.learned;
    return main ? { predicate: { learned: unitedClaim(main, of) }, held } : [];
  });
  return versions.length === 2 ? versions : undefined;
}

/** Returns whether the failures that belong to none of the families say the same. */
function holdsBeyond(
  predicate: Predicate,
  executions: readonly RecordedExecution[],
  isFamily: (call: RecordedCall) => boolean,
): boolean {
  const others = executions.map((one) => ({
    ...one,
    calls: one.calls.map((call) => (isFamily(call) ? withoutResult(call) : call)),
  }));
  const tried = afterFigures(predicate, others);
  return tried !== undefined && isObserved(tried);
}

const withoutResult = (call: RecordedCall): RecordedCall => ({
  ...call,
  ok: undefined,
  read: { ...call.read, ok: undefined, failed: false },
});

function afterFigures(predicate: Predicate, executions: readonly RecordedExecution[]): Figures | undefined {
  const after = armsOf(predicate).find(({ kind }) => kind === 'after');
  return after && figuresOf(after.kind, entrantsOf(after.over, executions));
}
