import type { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import type { ErrorKind } from '../../capture/errors/error-kind.js';
import type { ProjectKind } from '../../capture/observations/project-kind.js';
import type { EnvironmentFact, ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import { skillSlug } from '../../skills/document/slug.js';
import type { Case } from '../cases/case.js';
import { causeOf } from '../cases/case-cause.js';
import { environmentOf, environmentSentence } from '../cases/case-environment.js';
import { casesOfOneError, isOfTemplate, usualError } from '../cases/case-errors.js';
import { type CaseForms, caseFormsOf, isWorked } from '../cases/case-forms.js';
import { type PathRelation, pathRelation, relationOf } from '../cases/path-relation.js';
import type { ConfidenceEstimate } from '../patterns/confidence.js';
import type { Alternative, Contrast } from '../patterns/contrast.js';
import { inProject, rightAfter } from './narrower-phrases.js';
import type { Phrases } from './phrase.js';
import { phrasesOf } from './phrases.js';
import { clipAtWord, plainAction, plainErrorClass, plainName, plainTemplate } from './plain-text.js';
import { installsUnnamed, isTrivial } from './trivial-remedy.js';

type ReadonlyProposal = {
  readonly [K in keyof ProposedSkill]: ProposedSkill[K] extends (infer T)[] ? readonly T[] : ProposedSkill[K];
};

/** The text of a draft with the name that it would like. All text is ours, a screened call or a screened error. */
export interface DraftText extends ReadonlyProposal {
  /** `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 characters. */
  readonly name: string;
  readonly confidence: number;
}

/** What the words are made of: structured evidence and the cases that show it. */
export interface WordingInput {
  readonly tool: string;
  /** The failing action. */
  readonly action: string;
  /** The error classes, the most frequent first, and the most frequent template of the first one. */
  readonly errorClasses: readonly string[];
  readonly template: string;
  readonly contrast: Contrast;
  readonly estimate: ConfidenceEstimate;
  /** Set for a pattern of any command: the kind of its error. */
  readonly kind?: ErrorKind;
  /** Set for a pattern that holds in one kind of project. */
  readonly project?: ProjectKind;
  readonly cases: readonly Case[];
}

/** The words of a draft, and the calls that its commands are instances of. */
export interface WordedText {
  readonly text: DraftText;
  readonly calls: ObservedCalls;
}

/**
 * Words a pattern by rules. Returns undefined if the pattern has no remedy, since an unsolved problem is never a skill,
 * if no observed call shows the remedy, or if it teaches nothing.
 */
export function wordDraft(input: WordingInput): WordedText | undefined {
  const chosen = input.contrast.chosen;
  const failing = plainName(input.action);
  const { cases, relation } = casesOfRelation(input);
  const about = withOneError({ ...input, cases });
  const forms = about && caseFormsOf(about.cases, about.template);
  // Success patterns have their own wording.
  if (!chosen || chosen.how === 'precede' || failing === undefined || !about || !forms) return undefined;
  if (isTrivial(chosen, forms) || installsUnnamed(about.cases, forms)) return undefined;
  const phrases = narrowPhrases(about, chosen, failing, { ...forms, relation });
  if (!phrases) return undefined;
  return { text: textOf(about, phrases, forms, failing), calls: forms.calls };
}

/**
 * The input about an error that its cases have: of errors without a class, only those that say the same. Undefined if
 * the cases have nothing in common but the call that failed.
 */
function withOneError(input: WordingInput): WordingInput | undefined {
  const isClassed = input.kind !== undefined || input.errorClasses.some((name) => plainErrorClass(name) !== '');
  const worked = input.cases.filter(isWorked);
  const same = isClassed ? worked : casesOfOneError(worked);
  if (same === undefined) return undefined;
  const usual = usualError(same);
  const isSeen = usual === undefined || same.some(({ error }) => isOfTemplate(error, input.template));
  const cases = same === worked ? input.cases : same;
  return isSeen && same === worked ? input : { ...input, cases, ...(usual ? { template: usual } : {}) };
}

/** Of a path that does not exist, the cases that did the same about it. */
function casesOfRelation({ cases, contrast }: WordingInput): { cases: readonly Case[]; relation: PathRelation } {
  const relation = pathRelation(cases);
  const how = contrast.chosen?.how;
  if ((how !== 'relocate' && how !== 'omit') || relation === 'other') return { cases, relation };
  return { cases: cases.filter(({ failed, worked }) => !worked || relationOf(failed, worked) === relation), relation };
}

function narrowPhrases(
  input: WordingInput,
  chosen: Alternative,
  failing: string,
  forms: CaseForms & { readonly relation: PathRelation },
): Phrases | undefined {
  const { tool, kind, contrast } = input;
  const remedy = plainSteps(chosen.action);
  const context = chosen.following === undefined ? undefined : plainSteps(chosen.following);
  if (chosen.how === 'precede' || remedy === undefined) return undefined;
  if (chosen.following !== undefined && context === undefined) return undefined;
  const { failed, worked, steps, pair, isShared, relation } = forms;
  const general = phrasesOf({
    ...{ tool, failing, remedy, how: chosen.how, error: errorInWords(input), failed, worked, steps },
    ...{ relation, isShared, ...(pair ? { pair } : {}) },
    repeatFails: seldomHelps(contrast),
    ...(kind ? { kind } : {}),
  });
  if (!general) return undefined;
  const inContext = context === undefined ? general : rightAfter(general, context);
  return input.project ? inProject(inContext, input.project) : inContext;
}

function textOf(input: WordingInput, phrases: Phrases, forms: CaseForms, failing: string): DraftText {
  const environment = environmentOf(input.cases.some(isWorked) ? input.cases.filter(isWorked) : input.cases);
  const cause = causeOf(input.cases, forms, environment);
  return {
    name: skillSlug(phrases.name),
    title: clipAtWord(phrases.title, 150),
    discovery: clipAtWord(`Use when ${phrases.when}. ${phrases.gist}`, 600),
    condition: clipAtWord(conditionText(phrases, environment), 2_000),
    action: clipAtWord(phrases.action, 2_000),
    rationale: clipAtWord(rationale(phrases, input.contrast), 2_000),
    steps: phrases.steps.map((step) => clipAtWord(step, 500)),
    gotchas: phrases.gotchas.map((gotcha) => clipAtWord(gotcha, 500)),
    tags: tagsOf(input, failing),
    confidence: input.estimate.value,
    ...(cause ? { cause } : {}),
    ...(environment.length > 0 ? { environment } : {}),
    ...(forms.example ? { example: forms.example } : {}),
  };
}

function conditionText({ condition }: Phrases, environment: readonly EnvironmentFact[]): string {
  const where = environmentSentence(environment);
  return where === '' ? `${condition}.` : `${condition}. ${where}`;
}

const seldomHelps = ({ repeat }: Contrast): boolean => repeat.n >= 3 && repeat.rate < 1 / 3;

function errorInWords({ errorClasses, template }: WordingInput): string[] {
  const first = plainTemplate(template);
  const classes = errorClasses.map(plainErrorClass).filter((name) => name !== '');
  // The template of the first class says more than its name, and replaces it.
  const names = /[A-Za-z]{3}/.test(first) && !/cut off$/.test(first) ? [first, ...classes.slice(1)] : classes;
  return [...new Set(names)].slice(0, 3);
}

/** The names of steps in a sentence. */
function plainSteps(action: string): string | undefined {
  const steps = action.split(' > ').map(plainName);
  return steps.every((step) => step !== undefined) ? steps.join(' and then ') : undefined;
}

/** A reason without figures: these are in the evidence. */
function rationale({ remedyLabel }: Phrases, contrast: Contrast): string {
  const again = seldomHelps(contrast) ? '; the same call again seldom worked' : '';
  return `${remedyLabel} overcame this failure for agents on independent tasks${again}.`;
}

function tagsOf({ tool, errorClasses, project }: WordingInput, failing: string): string[] {
  const words = [
    tool,
    project ?? '',
    plainAction(failing)?.split(' ')[0] ?? '',
    ...errorClasses.map(plainErrorClass),
    'error pattern',
  ];
  return [
    ...new Set(words.filter((word) => /[a-z0-9]/i.test(word)).map((word) => clipAtWord(skillSlug(word), 60))),
  ].slice(0, 20);
}
