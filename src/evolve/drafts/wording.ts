import type { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import { shownCall } from '../../capture/actions/shown-call.js';
import { withNamedPlaceholders } from '../../capture/actions/shown-placeholder.js';
import { splitAtPlaceholders } from '../../evidence/calls/placeholder.js';
import type { ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import type { Check } from '../../evidence/predicate/check.schema.js';
import { errorTokens } from '../../learning/calls/error-tokens.js';
import { type ShowLine, wordsOf } from '../../learning/lessons/words.js';
import { literals, matchesOf, patternLine, variablesOf } from '../../learning/patterns/matching.js';
import type { Condition, LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { skillSlug } from '../../skills/document/slug.js';
import type { Case } from '../cases/case.js';
import { causeOf } from '../cases/case-cause.js';
import { isWorked, lackingWords, publicValues, shownCases, type WorkedCase } from '../cases/shown-cases.js';
import { presentableCall, presentableError } from '../dossiers/presentable-call.js';
import { environmentOf } from '../dossiers/shared-environment.js';
import { clipAtWord, plainErrorClass } from './plain-text.js';

/** The text of a draft with the name that it would like. All text is ours, a screened call or a screened error. */
export interface DraftText extends ProposedSkill {
  /** `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 characters. */
  readonly name: string;
}

/** What the words are made of: the claim, and the cases that show it. */
export interface WordingInput {
  readonly claim: LearnedClaim;
  readonly tool: string;
  readonly errorClasses: readonly string[];
  /** The error that the example should have. */
  readonly template: string;
  /** What was seen after the failure. */
  readonly check: Pick<Check, 'seen'>;
  readonly cases: readonly Case[];
}

/** The words of a draft, and the calls that its commands are instances of. */
export interface WordedText {
  readonly text: DraftText;
  readonly calls: ObservedCalls;
}

const LONGEST_ERROR = 160;

/**
 * Words a lesson by rules: what its patterns match is what is said. Undefined if a part of it may not be shown, or if
 * nothing is left to tell its failure by.
 */
export function wordDraft({ claim, cases, ...input }: WordingInput): WordedText | undefined {
  const [{ step = [], remedy = [] } = {}] = claim.conditions;
  const said = literals([...step, ...remedy]);
  if (input.tool === 'shell' && !cases.some((one) => isWorked(one) && showsPaths(one, said))) return undefined;
  const shown = shownCases(cases, input.template, said);
  if (!shown) return undefined;
  const known = publicValues(cases);
  const errorLine = (one: Condition): string => errorLineOf(one, cases).replaceAll('"', "'");
  const words = wordsOf(claim, shownLine, errorLine, (value) => known.has(value));
  if (words === undefined || claim.conditions.every((one) => errorLine(one) === '')) return undefined;
  const when = `${words.when.join(', or ')}.`;
  const environment = environmentOf(cases.some(isWorked) ? cases.filter(isWorked) : cases);
  const cause = causeOf(cases, environment);
  const text: DraftText = {
    name: skillSlug(words.name),
    title: clipAtWord(words.title, 150),
    discovery: clipAtWord(`Use when ${plain(when)} ${plain(words.action)}.`, 600),
    condition: clipAtWord(when, 2_000),
    action: clipAtWord(`${words.action}.`, 2_000),
    rationale: rationaleOf(input.check.seen),
    steps: words.steps.map((step) => clipAtWord(step, 500)),
    gotchas: words.values.map((value) => clipAtWord(value, 500)),
    tags: tagsOf(input, literals(claim.conditions[0]?.call ?? [])[0] ?? ''),
    ...(cause ? { cause } : {}),
    ...(environment.length > 0 ? { environment } : {}),
    ...(shown.example ? { example: shown.example } : {}),
  };
  return { text, calls: shown.calls };
}

/** A run typed the paths as the lesson says them: from another folder, the same place has another path. */
const showsPaths = (one: WorkedCase, said: readonly string[]): boolean =>
  lackingWords(one, said).every((word) => !/^\.{1,2}\//.test(word));

/** In words: figures would age in a file. */
function rationaleOf({ with: taught, without }: Check['seen']): string {
  const isMostly = 3 * taught.worked >= 2 * taught.n;
  const worked = taught.worked === taught.n ? 'worked each time' : isMostly ? 'mostly worked' : 'often worked';
  const other = without.n >= 3 && 3 * without.worked < without.n ? '; other tries mostly failed' : '';
  return `After this failure it ${worked}, for agents on independent tasks${other}.`;
}

/** The description of a skill may hold no angle brackets. */
const plain = (text: string): string => text.replaceAll('`', '').replace(/<([^<>]{0,60})>/g, '*');

/** Placeholders of stored calls get the names that readers know. */
const shownLine: ShowLine = (tool, line) => {
  const shown =
    tool === 'shell'
      ? shownCall({ name: 'Bash', action: line, ok: true })
      : { tool, call: withNamedPlaceholders(line) };
  return presentableCall(shown)?.call;
};

/** What stands in an error for a part that differs. */
const DIFFERS = '*';

/** Around the name of a place until placeholders of the line are marked. */
const NAME = /\uE000([^\uE001]*)\uE001/g;

/**
 * The line of a case. A part that differs is marked, or has the name of its place if the call or the list of values names
 * it as well; if no case has the line, the tokens that all share.
 */
export function errorLineOf(
  { error, call, closed }: Pick<Condition, 'error' | 'call' | 'closed'>,
  cases: readonly Pick<Case, 'error'>[],
): string {
  // A name stands in code, which a mark of code in the error would end.
  const named = cases.some((one) => one.error.includes('`')) ? [] : [...Object.keys(closed), ...variablesOf(call)];
  for (const names of named.length > 0 ? [named, []] : [named])
    for (const { error: line } of cases)
      for (const isStatement of [true, false]) {
        const values = matchesOf([error], [errorTokens(line, isStatement)]);
        const shared = values && withoutValues(line, values, names);
        if (shared !== undefined) return errorInWords(shared);
      }
  const words = patternLine(error.map((item) => (typeof item === 'string' ? item : DIFFERS)));
  // Tokens have lost the apostrophe of "isn't".
  const said = words.replace(/(?<=(\S{1,60})) (?=(\S{1,60}))/g, (blank, word, next) =>
    cases.some((one) => one.error.includes(`${word}'${next}`)) ? "'" : blank,
  );
  return errorInWords(presentableError(said));
}

/** A placeholder would be an escape in prose: it differs, too. */
function errorInWords(line: string): string {
  const parts = splitAtPlaceholders(line).map(({ text, isPlaceholder }) => (isPlaceholder ? DIFFERS : text));
  return clipAtWord(parts.join('').replace(NAME, '`<$1>`'), LONGEST_ERROR);
}

/** A shorter value may be a part of other words. */
const SHORTEST_VALUE = 3;

/** Undefined if a value does not stand in the line as it is, or if it would have two names. */
function withoutValues(
  line: string,
  values: ReadonlyMap<string, string>,
  names: readonly string[],
): string | undefined {
  let shared = line;
  for (const [name, value] of [...values].sort(([, a], [, b]) => b.length - a.length)) {
    if (value === '') continue;
    if (value.length < SHORTEST_VALUE || !(names.length > 0 ? shared : line).includes(value)) return undefined;
    shared = shared.replaceAll(value, names.includes(name) ? `\uE000${name}\uE001` : DIFFERS);
  }
  return shared;
}

/** The words of a tag list: the tool, the program that fails, and the kinds of errors. */
export function tagsOf({ tool, errorClasses }: Pick<WordingInput, 'tool' | 'errorClasses'>, failing: string): string[] {
  const words = [tool, failing.split(' ')[0] ?? '', ...errorClasses.map(plainErrorClass), 'error pattern'];
  return [
    ...new Set(words.filter((word) => /[a-z0-9]/i.test(word)).map((word) => clipAtWord(skillSlug(word), 60))),
  ].slice(0, 20);
}
