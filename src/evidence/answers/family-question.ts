import type { Dossier } from '../dossier/dossier.schema.js';
import type { LessonAnswer } from './lesson-answer.schema.js';

/** A family about which a model is asked. */
export interface FamilyQuestion {
  /** The fingerprint of the family, of a value that was split off its own. */
  readonly family: string;
  /** Executions of the window with the failure: the family is asked about again when they have doubled. */
  readonly executions: number;
  /** Of the half from which the answer is learned; its text is all that the model sees. */
  readonly dossier: Dossier;
  /** That half; the other half checks what the model writes. */
  readonly learnedFrom: 'a' | 'b';
  /** Set to ask for another predicate of this answer, once; `problem` says in words what it measures. */
  readonly rewrite?: { readonly answer: LessonAnswer; readonly problem: string };
}

/** What a model answered, as it is stored. */
export interface FamilyAnswer {
  readonly family: string;
  readonly executions: number;
  readonly dossier: Dossier;
  /** The text of the dossier as the model read it, on which its answer must rest. */
  readonly shown: string;
  readonly learnedFrom: 'a' | 'b';
  /** Null if the model answered and the answer cannot be read; the family is not asked about again until it doubles. */
  readonly answer: LessonAnswer | null;
  /** The provider, the model and the version of the prompt: `anthropic/<model>/families-1`. */
  readonly by: string;
  /** `sha256:…` of the whole prompt and the model. */
  readonly hash: string;
  /** True if the predicate was rewritten: it is never rewritten again. */
  readonly rewritten: boolean;
}
