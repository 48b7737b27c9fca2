import { callText } from '../../evidence/calls/shown-call.schema.js';
import { factsBeside, isBound, placeOf } from '../../evidence/predicate/binding.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import type { Promotion, PromotionSummary } from '../../promote/promotion.schema.js';
import { provenanceText } from '../activity/fleet.js';
import { counted } from '../frame/quantity.js';
import { moment } from '../frame/times.js';

const BECAUSE: Readonly<Record<Promotion['because'], string>> = {
  not_checked: 'not checked yet',
  no_evidence: 'no independent evidence',
  not_enough_evidence: 'not enough evidence',
  not_independent: 'all evidence comes from one owner or one credential',
  needs_person: 'reads like an instruction or a danger: a person has to verify it',
  conflicting_evidence: 'conflicting evidence',
  contradicted: 'contradicted',
  derived_from_unverified: 'depends on a memory that is unverified or deleted',
  verifier_unavailable: 'the second model was unavailable',
  verifier_over_budget: 'the daily budget of the second model was used up',
  person: 'confirmed by a person',
  primary_source: 'a reviewer approved a skill that says the same',
  tool_result: 'it worked in later executions',
  second_model: 'a second model agreed',
};

const EVIDENCE_KINDS = {
  person: 'a person',
  primary_source: 'an approved skill',
  tool_result: 'an execution',
  second_model: 'a second model',
} as const;

/** A row of the list of memories. */
export function memoryRow({ memory, discovery, because, checkedAt, relevanceCount }: PromotionSummary, now: Date) {
  return {
    id: memory,
    says: discovery,
    why: BECAUSE[because],
    used: counted(relevanceCount, 'session'),
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
    why: BECAUSE[because],
    due: moment(dueAt, now),
    evidence: evidence.map(({ kind, stance, source, reason, at }) => ({
      source,
      reason,
      when: moment(at, now),
      kind: EVIDENCE_KINDS[kind],
      stance: stance === 'unsure' ? 'unclear' : stance,
    })),
    restsOn: restsOn.map((derivation) => ({
      id: derivation.memory,
      ended: derivation.ended,
      says: derivation.provenance === null ? 'deleted' : provenanceText(derivation.provenance),
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
