import { callText } from '../../evidence/calls/shown-call.schema.js';
import { factsBeside, isBound, placeOf } from '../../evidence/predicate/binding.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import type { Promotion, PromotionSummary } from '../../promote/promotion.schema.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';

/** A row of the list of memories. */
export function memoryRow({ memory, discovery, because, checkedAt, relevanceCount }: PromotionSummary, now: Date) {
  return {
    id: memory,
    says: discovery,
    why: say(`because.${because}`),
    used: say('memories.sessions', { n: relevanceCount }),
    checked: checkedAt === null ? null : moment(checkedAt, now),
  };
}

/** The view of a memory: its evidence, the memories that it derives from, and what this person may do. */
export function memoryView(
  promotion: Promotion,
  /** Undefined if it has ended. */
  lesson: Lesson | undefined,
  can: { readonly verify: boolean; readonly check: boolean },
  now: Date,
) {
  const { memory: id, discovery, proposer, provenance, because, dueAt, evidence, restsOn } = promotion;
  return {
    id,
    discovery,
    proposer,
    provenance,
    lesson: lesson ? lessonView(lesson) : null,
    why: say(`because.${because}`),
    due: moment(dueAt, now),
    evidence: evidence.map(({ kind, stance, source, reason, at }) => ({
      source,
      reason,
      when: moment(at, now),
      kind: say(`evidence-kind.${kind}`),
      stance: say(`stance.${stance}`),
    })),
    restsOn: restsOn.map((derivation) => ({
      id: derivation.memory,
      ended: derivation.ended,
      says: derivation.provenance === null ? say('memory.gone') : say(`provenance.${derivation.provenance}`),
    })),
    can,
  };
}

/** What a lesson says and shows. A call that failed stands apart from one that worked. */
function lessonView({ activation, steps, cause, environment = [], example, binding }: Lesson) {
  const facts = factsBeside(environment, binding).map(({ name, value }) => `${name} ${value}`);
  return {
    ...activation,
    steps,
    cause: cause ?? null,
    binding: isBound(binding) ? placeOf(binding) : null,
    environment: facts.length > 0 ? facts.join(', ') : null,
    example: example
      ? {
          failed: callText(example.failed),
          error: example.error,
          between: example.between.map(callText),
          worked: example.worked ? callText(example.worked) : null,
        }
      : null,
  };
}
