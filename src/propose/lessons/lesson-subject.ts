import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Obstacle } from '../../capture/observations/obstacle.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import type { LessonKeys } from '../../memory/lessons/witness.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { partsOfObstacle } from './lesson-parts.js';

/** The obstacle that a lesson is about: the one that its example or its text shows, otherwise the first. */
export function subjectOf(payload: AnalysisPayload, lesson: Lesson): Obstacle | undefined {
  const { obstacles } = payload;
  if (payload.kind === 'success') return undefined;
  const { example } = lesson;
  if (example !== undefined) {
    const shown = canonicalJson([example.failed, example.worked]);
    const same = obstacles.find((one) => canonicalJson([one.failed ?? null, workedOf(one)]) === shown);
    if (same) return same;
  }
  const text = [lesson.activation.action, ...lesson.steps].join('\n');
  const isNamed = ({ between, worked }: Obstacle): boolean =>
    [...between, ...(worked ? [worked] : [])].some((call) => text.includes(callText(call)));
  return obstacles.find(isNamed) ?? obstacles[0];
}

const workedOf = ({ outcome, worked }: Obstacle) => (outcome === 'overcome' ? (worked ?? null) : null);

/** The lesson with the environment and the example of the obstacle that it is about, if it has none. */
export function withEvidence(payload: AnalysisPayload, lesson: Lesson): Lesson {
  const subject = subjectOf(payload, lesson);
  if (subject === undefined) return lesson;
  const { cause: _, ...shown } = partsOfObstacle(payload, subject);
  return { ...shown, ...lesson };
}

/** The keys of a lesson: of its obstacle, or of the steps of a verified success. */
export function keysOf(payload: AnalysisPayload, lesson: Lesson): LessonKeys | undefined {
  if (payload.kind === 'success') return { failureKey: 'success', remedyKey: sha256(canonicalJson(lesson.steps)) };
  const obstacle = subjectOf(payload, lesson);
  return obstacle && { failureKey: obstacle.failureKey, remedyKey: obstacle.remedyKey };
}
