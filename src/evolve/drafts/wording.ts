import type { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import type { ErrorKind } from '../../capture/errors/error-kind.js';
import type { ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import type { Matcher, Predicate } from '../../evidence/predicate/predicate.schema.js';
import { skillSlug } from '../../skills/document/slug.js';
import type { Case } from '../cases/case.js';
import { causeOf } from '../cases/case-cause.js';
import { casesOfOneError, isOfTemplate, usualError } from '../cases/case-errors.js';
import { type CaseForms, caseFormsOf, isWorked } from '../cases/case-forms.js';
import { type PathRelation, pathRelation, relationOf } from '../cases/path-relation.js';
import { environmentOf } from '../dossiers/shared-environment.js';
import type { Candidate } from '../evidence/candidate.js';
import type { Proportion } from '../statistics/wilson.js';
import { type ErrorInput, errorWords } from './error-words.js';
import type { Phrases } from './phrase.js';
import { phrasesOf } from './phrases.js';
import { clipAtWord, plainAction, plainErrorClass, plainName } from './plain-text.js';
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
export interface WordingInput extends ErrorInput {
  readonly tool: string;
  /** The failing action. */
  readonly action: string;
  readonly chosen: Pick<Candidate, 'how' | 'action'>;
  /** Tries that do not follow the lesson. */
  readonly repeat: Pick<Proportion, 'n' | 'rate'>;
  readonly confidence: { readonly value: number };
  /** Set for a lesson on any command: the kind of its error. */
  readonly kind?: ErrorKind;
  readonly cases: readonly Case[];
}

/** The words of a draft, and the calls that its commands are instances of. */
export interface WordedText {
  readonly text: DraftText;
  readonly calls: ObservedCalls;
}

/**
 * Words a lesson by rules. Returns undefined if it is about whole runs, which have their own wording, if no observed call
 * shows the remedy, or if it teaches nothing.
 */
export function wordDraft(input: WordingInput): WordedText | undefined {
  const { chosen } = input;
  const failing = plainName(input.action);
  const { cases, relation } = casesOfRelation(input);
  const about = withOneError({ ...input, cases });
  const forms = about && caseFormsOf(about.cases, about.template);
  // Lessons from whole runs have their own wording.
  if (chosen.how === 'precede' || failing === undefined || !about || !forms) return undefined;
  if (isTrivial(chosen, forms) || installsUnnamed(about.cases, forms)) return undefined;
  const phrases = phrasesFor(about, failing, { ...forms, relation });
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
function casesOfRelation({ cases, chosen, predicate }: WordingInput): {
  cases: readonly Case[];
  relation: PathRelation;
} {
  const { how } = chosen;
  const shown = pathRelation(cases);
  // What is counted says it, even where the calls hide their paths.
  if (how === 'relocate' && predicate && putsElse(predicate)) return { cases, relation: 'deeper' };
  const relation = shown === 'other' && how === 'relocate' && predicate && leavesOut(predicate) ? 'here' : shown;
  if (relation !== shown) return { cases, relation };
  if ((how !== 'relocate' && how !== 'omit') || relation === 'other') return { cases, relation };
  return { cases: cases.filter(({ failed, worked }) => !worked || relationOf(failed, worked) === relation), relation };
}

function phrasesFor(
  { tool, kind, repeat, chosen, ...input }: WordingInput,
  failing: string,
  { failed, worked, steps, pair, isShared, relation }: CaseForms & { readonly relation: PathRelation },
): Phrases | undefined {
  const remedy = plainSteps(chosen.action);
  if (chosen.how === 'precede' || remedy === undefined) return undefined;
  const replaced = input.predicate && replacedProgram(input.predicate);
  return phrasesOf({
    tool,
    failing,
    remedy,
    how: chosen.how,
    error: errorWords(input),
    failed,
    worked,
    steps,
    relation,
    isShared,
    ...((replaced ?? pair) ? { pair: replaced ?? pair } : {}),
    ...(replaced ? { isPairWhole: true, isPairShown: pair?.join(' ') === replaced.join(' ') } : {}),
    ...(input.predicate?.follow && !input.predicate.attempt ? { isForm: true } : {}),
    repeatFails: seldomHelps(repeat),
    ...(kind ? { kind } : {}),
  });
}

/** Returns whether the lesson is to write something where the failed call has something else. */
function putsElse({ follow, attempt }: Predicate): boolean {
  const all = (Array.isArray(follow) ? follow : follow ? [follow] : []) as readonly Matcher[];
  return !attempt && all.some(({ adds, args }) => adds !== undefined || args !== undefined);
}

/** Returns whether the lesson is to leave something out, and nothing else. */
function leavesOut({ follow, attempt }: Predicate): boolean {
  const all = (Array.isArray(follow) ? follow : follow ? [follow] : []) as readonly Matcher[];
  const isLess = ({ drops, notArgs, args, adds }: Matcher): boolean =>
    (drops !== undefined || notArgs !== undefined) && args === undefined && adds === undefined;
  return !attempt && all.length > 0 && all.every(isLess);
}

/** The program that fails and the one in its place, if the predicate counts nothing else. */
function replacedProgram({ follow, against, attempt }: Predicate): [string, string] | undefined {
  const one = (matchers: Predicate['follow']): Matcher | undefined =>
    // Array.isArray does not narrow a readonly array
    Array.isArray(matchers) ? (matchers.length === 1 ? (matchers[0] as Matcher) : undefined) : (matchers as Matcher);
  const program = (matcher: Matcher | undefined): string | undefined => {
    const { tool: _, sameAction: __, action, ...others } = matcher ?? {};
    return action !== undefined && Object.keys(others).length === 0 && /^[\w./+-]{1,60}$/.test(action)
      ? action
      : undefined;
  };
  const [from, to] = [program(one(against)), program(one(follow))];
  return !attempt && from !== undefined && to !== undefined && from !== to ? [from, to] : undefined;
}

function textOf(input: WordingInput, phrases: Phrases, forms: CaseForms, failing: string): DraftText {
  const environment = environmentOf(input.cases.some(isWorked) ? input.cases.filter(isWorked) : input.cases);
  const cause = causeOf(input.cases, forms, environment);
  return {
    name: skillSlug(phrases.name),
    title: clipAtWord(phrases.title, 150),
    discovery: clipAtWord(`Use when ${phrases.when}. ${phrases.gist}`, 600),
    condition: clipAtWord(`${phrases.condition}.`, 2_000),
    action: clipAtWord(phrases.action, 2_000),
    rationale: clipAtWord(rationale(phrases, input, cause !== undefined), 2_000),
    steps: phrases.steps.map((step) => clipAtWord(step, 500)),
    gotchas: phrases.gotchas.map((gotcha) => clipAtWord(gotcha, 500)),
    tags: tagsOf(input, failing),
    confidence: input.confidence.value,
    ...(cause ? { cause } : {}),
    ...(environment.length > 0 ? { environment } : {}),
    ...(forms.example ? { example: forms.example } : {}),
  };
}

const seldomHelps = ({ n, rate }: WordingInput['repeat']): boolean => n >= 3 && rate < 1 / 3;

/** The names of steps in a sentence. */
function plainSteps(action: string): string | undefined {
  const steps = action.split(' > ').map(plainName);
  return steps.every((step) => step !== undefined) ? steps.join(' and then ') : undefined;
}

/**
 * A reason without figures: these are in the evidence. The reader of a replacement asks why; an error about something
 * that is missing, or that names the remedy, says it.
 */
function rationale(
  { remedyLabel }: Phrases,
  { repeat, chosen, errorClasses }: WordingInput,
  hasCause: boolean,
): string {
  const again = seldomHelps(repeat) ? '; few tries without it worked' : '';
  const isOpen = chosen.how === 'replace' && !hasCause && !errorClasses.some((name) => SAYS_WHY.test(name));
  return `${remedyLabel} overcame this failure for agents on independent tasks${again}.${isOpen ? ' Why is not known.' : ''}`;
}

const SAYS_WHY = /not-?found|no-such|missing|command/i;

/** The words of a tag list: the tool, the program that fails, and the kinds of errors. */
export function tagsOf({ tool, errorClasses }: Pick<WordingInput, 'tool' | 'errorClasses'>, failing: string): string[] {
  const words = [
    tool,
    plainAction(failing)?.split(' ')[0] ?? '',
    ...errorClasses.map(plainErrorClass),
    'error pattern',
  ];
  return [
    ...new Set(words.filter((word) => /[a-z0-9]/i.test(word)).map((word) => clipAtWord(skillSlug(word), 60))),
  ].slice(0, 20);
}
