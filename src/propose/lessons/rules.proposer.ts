import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Obstacle } from '../../capture/observations/obstacle.schema.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import type { LessonProposer, ProposerResult } from '../model/proposer.js';
import { failureLesson } from './failure-lesson.js';
import { executionEvidence, gatedLesson } from './lesson-gates.js';
import { keysOf } from './lesson-subject.js';
import { successLesson } from './success-lesson.js';

/** How many failures one execution teaches at most: those that it overcame, and others. */
const MOST = { overcome: 5, unresolved: 3 } as const;

/**
 * Writes lessons by rules: deterministic, without a key or a network. A lesson shows the call that failed, its error and
 * the call that worked, and says nothing that the execution did not show.
 */
export class RulesProposer implements LessonProposer {
  readonly name = 'rules/4';

  async propose(payload: AnalysisPayload): Promise<ProposerResult> {
    const [lesson] = this.lessonsOf(payload);
    return lesson ? { outcome: 'lesson', lesson } : { outcome: 'none', reason: 'no_update' };
  }

  /**
   * The lessons of an execution that pass the gates, one for each failure that it overcame in another way. A failure
   * that nothing overcame teaches only if the execution did not complete: otherwise the work did not need that call.
   */
  lessonsOf(payload: AnalysisPayload): Lesson[] {
    const evidence = executionEvidence(payload);
    const gated = (lesson: Lesson | undefined): Lesson[] => {
      const passed = lesson && gatedLesson(lesson, evidence);
      return passed && 'lesson' in passed ? [passed.lesson] : [];
    };
    if (payload.kind === 'success') return gated(successLesson(payload));
    const about = (...outcomes: Obstacle['outcome'][]): Lesson[] => {
      const obstacles = payload.obstacles.filter(({ outcome }) => outcomes.includes(outcome));
      return distinct(
        payload,
        obstacles.flatMap((obstacle) => gated(failureLesson(payload, obstacle))),
      );
    };
    const unresolved = payload.status === 'completed' ? [] : about('open');
    return [...about('overcome').slice(0, MOST.overcome), ...unresolved.slice(0, MOST.unresolved)];
  }
}

/** The lessons without those about the same failure and remedy, or with the same steps, as an earlier one. */
function distinct(payload: AnalysisPayload, lessons: readonly Lesson[]): Lesson[] {
  const seen = new Set<string>();
  return lessons.filter((lesson) => {
    const marks = [canonicalJson(keysOf(payload, lesson) ?? null), canonicalJson(lesson.steps)];
    const isNew = !marks.some((mark) => seen.has(mark));
    for (const mark of marks) seen.add(mark);
    return isNew;
  });
}
