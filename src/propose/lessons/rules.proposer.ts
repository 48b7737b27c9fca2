import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { LessonProposer, ProposerResult } from '../model/proposer.js';
import { failureLesson } from './failure-lesson.js';
import { successLesson } from './success-lesson.js';

/**
 * Writes lessons by rules: deterministic, without a key or a network. A lesson shows the call that failed, its error and
 * the call that worked, and says nothing that the execution did not show.
 */
export class RulesProposer implements LessonProposer {
  readonly name = 'rules/4';

  async propose(payload: AnalysisPayload): Promise<ProposerResult> {
    const lesson = lessonOf(payload);
    return lesson ? { outcome: 'lesson', lesson } : { outcome: 'none', reason: 'no_update' };
  }
}

/** The lesson about the first obstacle that gives one. */
function lessonOf(payload: AnalysisPayload) {
  if (payload.kind === 'success') return successLesson(payload);
  for (const obstacle of payload.obstacles) {
    const lesson = failureLesson(payload, obstacle);
    if (lesson) return lesson;
  }
  return undefined;
}
