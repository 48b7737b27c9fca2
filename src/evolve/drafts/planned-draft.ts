import { collectCases } from '../cases/case-collection.js';
import { claimCases } from '../cases/claim-cases.js';
import type { Reading } from '../cases/reading.js';
import { runCases } from '../cases/run-cases.js';
import type { TableCache } from '../cases/table-cache.js';
import type { Lesson } from '../examination/lesson.js';
import type { Ledger } from '../support/ledger.js';
import { type Draft, type DraftContext, type DraftIdentity, draftOf, identityOf } from './draft.js';
import { draftOfRuns } from './run-draft.js';

/** Words a draft; `names` are those taken in this cycle. Undefined if it cannot be worded. */
export type WordDraft = (names: Set<string>) => Draft | undefined;

/** A lesson that may become a draft, and the reading of the executions that it shows. */
export interface PlannedDraft {
  readonly lesson: Lesson;
  readonly identity: DraftIdentity;
  readonly reading: () => Reading<WordDraft>;
}

/** Plans a draft for each lesson, in their order. */
export function plannedDrafts(
  ledger: Ledger,
  tables: TableCache,
  lessons: readonly Lesson[],
  context: DraftContext,
): PlannedDraft[] {
  return lessons.map((lesson) => {
    const identity = identityOf(lesson, context);
    const executions = lesson.evidence.executionIds;
    const { predicate, main } = lesson;
    return {
      lesson,
      identity,
      *reading() {
        if (!predicate.learned) {
          const casesOf = runCases(predicate);
          const cases = yield* collectCases(ledger, tables, {
            executions: executions.numbers(),
            casesOf,
            shows: () => true,
          });
          return (names) => draftOfRuns(identity, cases, names);
        }
        const casesOf = claimCases(predicate.learned, main.taught);
        const cases = yield* collectCases(ledger, tables, {
          executions: executions.numbers(),
          casesOf,
          shows: ({ worked }) => worked !== undefined,
          countSkippedChecks: main.skipsCheck === true,
        });
        return (names) => draftOf(identity, cases, names);
      },
    };
  });
}
