import type { FamilyAnswer, FamilyQuestion } from '../../evidence/answers/family-question.js';
import type { RefusalKind } from '../../evidence/answers/lesson-answer.schema.js';
import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import type { GateFinding } from '../../evidence/gates/gated-lesson.schema.js';
import type { FamilySample } from '../candidates/candidates.js';
import type { Candidate } from '../evidence/candidate.js';

/** What a writer reads: the learning half of a family, and the dossier of this half. */
export interface WriterSample extends FamilySample {
  readonly dossier: Dossier;
  readonly learnedFrom: 'a' | 'b';
}

/** The texts of a lesson that its writer wrote, and that grounding and lint let pass. */
export interface WrittenWords {
  readonly title: string;
  readonly condition: string;
  readonly cause: string | null;
  readonly steps: readonly string[];
  readonly gotchas: readonly string[];
  /** The calls of the dossier that show it: the failed one and the one that worked; their text is the evidence's. */
  readonly example: {
    readonly failed: Dossier['examples'][number]['failed'];
    readonly between: Dossier['examples'][number]['later'];
    readonly worked: Dossier['examples'][number]['failed'];
  } | null;
  readonly quotes: readonly string[];
  readonly confidence: 'low' | 'medium' | 'high';
  /** Steps that were removed, because they recommend a call that was not observed. */
  readonly removed: readonly string[];
}

export interface WrittenCandidate extends Candidate {
  /** The name of its writer. */
  readonly by: string;
  /** Null of the rules, which word a lesson from its cases. */
  readonly words: WrittenWords | null;
  /** The answer it was read from: `sha256:…`. */
  readonly answer?: string;
}

/** What a writer made of a family. */
export interface Writing {
  readonly candidates: readonly WrittenCandidate[];
  /** It says that there is no lesson. */
  readonly declined?: { readonly kind: RefusalKind; readonly reason: string };
  /** Why what it wrote becomes no candidate: findings of grounding and lint, or what is wrong with the predicate. */
  readonly rejected?: { readonly findings: readonly GateFinding[]; readonly problem?: string };
}

/** Writes hypotheses about a family, which the same check judges for every writer. */
export interface LessonWriter {
  /** `rules`, or the provider, the model and the version of the prompt. */
  readonly name: string;
  /** What a model has to be asked before it can write; null of the rules, and of a family that no model may see. */
  question(sample: WriterSample, executions: number): FamilyQuestion | null;
  /** Pure: the same sample and answer give the same writing. Never throws for anything that a model answers. */
  write(sample: WriterSample, answer?: FamilyAnswer): Writing;
}
