import { MISSING, NO_MATCH, namedIn } from '../calls/error-tokens.js';
import { SETS_UP, SETTING } from '../calls/shell-line.js';
import { isOperator, TEXT } from '../calls/tokens.js';
import { isAny, itemText, literals, patternLine, variablesOf } from '../patterns/matching.js';
import type { Condition, LearnedClaim, Pattern } from '../patterns/pattern.schema.js';
import { hunksOf } from '../recoveries/alignment.js';

/** A line of a pattern as it may be shown; undefined if it may not. */
export type ShowLine = (tool: string, line: string) => string | undefined;

/** Of a remedy that is a call with or without a folder. */
export const PATH_BEGINS = 'Look first in which folder the shell is: paths begin there.';
/** Of a remedy whose step shows the text that an argument must match. */
export const copiedExactly = (argument: string): string => `\`${argument}\` copied exactly from what that shows`;

/** What a reader gets. All of it is read off the patterns that decide when the lesson is shown. */
export interface ClaimWords {
  /** In a few plain words, without code: for the name of a file. */
  readonly name: string;
  readonly title: string;
  /** A clause for each condition: "`npm test` has failed with "…"". */
  readonly when: readonly string[];
  /** What to do, without a full stop. */
  readonly action: string;
  readonly steps: readonly string[];
  /** What the variables were in the runs. */
  readonly values: readonly string[];
}

const LONGEST = { title: 110, value: 60 } as const;
const MOST = { conditions: 4, values: 4 } as const;
/** The last words of an error, which say what it is about. */
const WORDS_OF_ERROR = 3;
/** Words that take the place of one: `docker compose` for `docker-compose`. */
const MOST_ADDED = 3;

/**
 * Words a claim; undefined if a part of what it says may not be shown. `errorOf`: the error of a condition as a line;
 * `isPublic`: whether a value may be named.
 */
export function wordsOf(
  claim: LearnedClaim,
  show: ShowLine,
  errorOf: (condition: Condition) => string,
  isPublic: (value: string) => boolean,
): ClaimWords | undefined {
  const shown = claim.conditions.flatMap((one) => {
    const line = (pattern: Pattern): string | undefined => shownLine(one, one.tool, shownOf(one, pattern), show);
    const [call, remedy, step] = [line(one.call), line(one.remedy), one.step ? stepLine(one, show) : ''];
    return call === undefined || remedy === undefined || step === undefined ? [] : [{ one, call, remedy, step }];
  });
  const [main] = shown;
  if (main === undefined) return undefined;
  const { one, call, remedy, step } = main;
  const isAgain = patternLine(one.remedy) === patternLine(one.call);
  // What made the difference may be what is hidden: an address, a host, a secret.
  if (!isAgain && step === '' && call === remedy) return undefined;
  const does = verbOf(one.tool);
  const copied = isAgain && step !== '' ? copiedArgument(one) : undefined;
  const then =
    copied !== undefined
      ? `\`${literals(one.call)[0] ?? one.tool}\` again, with ${copiedExactly(copied)}`
      : isAgain
        ? `${code(call)} again`
        : code(remedy);
  // A step in the line of the remedy is a part of what to call.
  const isWithin = !isAgain && ` ${remedy} `.includes(` ${step} `);
  const first = step === '' || isWithin ? undefined : stepDoing(step, verbOf(stepTool(one)));
  const left = step === '' ? leftOut(call, remedy) : undefined;
  const number = claim.follow.includes('-"⟨a⟩"') ? ', with a number and not a text' : '';
  const change =
    left === undefined
      ? `${does} ${code(remedy)} instead of ${code(call)}${number}`
      : `${does} the rest without ${code(left)}`;
  const action = first === undefined ? change : `${first} first, then ${does.toLowerCase()} ${then}${number}`;
  const whole =
    first === undefined
      ? action
      : copied === undefined
        ? `${first} before ${code(isAgain ? call : remedy)}`
        : `${first}, and copy \`${copied}\` from it`;
  const others = shown.slice(0, MOST.conditions);
  const short = shortTitle(claim, one, first);
  return {
    name: left === undefined ? nameOf(one, short ?? whole) : `without ${left}`,
    title: isReadable(one, whole) ? whole : (short ?? whole),
    when: others.map((other) => whenOf(other.one, other.call, errorOf(other.one))),
    action,
    steps: first === undefined ? [`${action}.`] : [`${first}.`, `${does} ${then}${number}.`],
    values: [
      ...(one.step === undefined && dependsOnFolder(...[one.call, one.error, one.remedy].map(literals))
        ? [PATH_BEGINS]
        : []),
      ...(standsBehind(one) ? ['It may stand behind other commands of a line; these stay.'] : []),
      ...valuesOf(
        others.map((other) => other.one),
        isPublic,
      ),
    ],
  };
}

/** The argument with the text. */
const copiedArgument = ({ call, error }: Condition): string | undefined =>
  NO_MATCH.test(literals(error).join(' '))
    ? call
        .flatMap((item, at) => (call[at + 1] === TEXT && typeof item === 'string' ? [item.replace(/=$/, '')] : []))
        .find((name) => /old|search|find|before/i.test(name))
    : undefined;

/** The error says that a path is not there, and the remedy begins it elsewhere: the shell stood in another folder. */
export function dependsOnFolder(...[from = [], said = [], to = []]: readonly (readonly string[])[]): boolean {
  const isNamed = namedIn(said);
  const left = from.filter((one) => !to.includes(one));
  const added = to.filter((one) => !from.includes(one));
  const isLeftOut = added.length === 0 && left.some(isNamed);
  const isOtherStart = left.some((one) =>
    added.some((other) => one.endsWith(`/${other}`) || other.endsWith(`/${one}`)),
  );
  return MISSING.test(said.join(' ')) && (isLeftOut || isOtherStart || added[0] === 'cd');
}

/** Stands for any number of tokens. */
const ELLIPSIS = '...';

/** A pattern as a line that may be shown. Only a place whose values are named has a name if it holds any number of tokens. */
function shownLine({ closed }: Condition, tool: string, pattern: Pattern, show: ShowLine): string | undefined {
  const names = pattern.flatMap((item) => (isAny(item) && closed[item.any] === undefined ? [item.any] : []));
  const line = names.reduce((text, name) => text?.replaceAll(`<${name}>`, ELLIPSIS), show(tool, patternLine(pattern)));
  return line?.replace(/\.{3}(?: \.{3})+/g, ELLIPSIS);
}

/** Call and remedy may both have anything in front of them. */
const standsBehind = ({ call, remedy }: Condition): boolean =>
  [call, remedy].every(([first, ...rest]) => first !== undefined && isAny(first) && literals(rest).length > 0);

/** A call or remedy as it is shown. */
const shownOf = (one: Condition, pattern: Pattern): Pattern => (standsBehind(one) ? pattern.slice(1) : pattern);

/** What stands in front of a remedy that is any line: `cd app` of `cd app && <more>`. */
function leftOut(call: string, remedy: string): string | undefined {
  if (!/^(?:<|\.{3})/.test(remedy) || call === remedy || !call.endsWith(remedy)) return undefined;
  return call.slice(0, -remedy.length).replace(/\s*(?:&&|;)?\s*$/, '') || undefined;
}

/** A line in code, and the settings of the call. */
function code(line: string): string {
  const [command = '', settings] = line.split(` ${SETTING} `);
  return settings === undefined ? `\`${line}\`` : `\`${command}\` with \`${settings}\``;
}

const verbOf = (tool: string): string => (tool === 'shell' ? 'Run' : 'Call');

/** The step may be a call of another tool than the failed one: of a shell, or of a tool, as its name or arguments show. */
function stepTool({ tool, step = [] }: Condition): string {
  const [first, second] = step;
  if (typeof first !== 'string') return tool;
  const isOption = typeof second === 'string' && second.startsWith('-');
  if (/^[A-Z]|_/.test(first) && !isOption) return first;
  if (second === undefined || first === tool) return tool;
  return typeof second === 'string' && second.endsWith('=') ? first : 'shell';
}

/** A step without what only some runs put behind it. */
function stepLine(one: Condition, show: ShowLine): string | undefined {
  const step = one.step ?? [];
  const last = step.at(-1);
  const isOptional =
    last !== undefined &&
    isAny(last) &&
    one.values[last.any]?.includes('') === true &&
    !variablesOf(one.call).includes(last.any);
  return shownLine(one, stepTool(one), isOptional ? step.slice(0, -1) : step, show);
}

/** `edit` marks a file that was changed. */
const stepDoing = (step: string, does: string): string =>
  step.startsWith('edit ') ? `Edit \`${step.slice('edit '.length)}\`` : `${does} ${code(step)}`;

/** The clause of a condition. `call`, `errorLine`: as they may be shown. */
export function whenOf({ closed, error }: Condition, call: string, errorLine: string): string {
  const only = Object.entries(closed).map(([name, values]) => `, where \`<${name}>\` is ${either(values)}`);
  const said = error.length === 0 || errorLine === '' ? '' : ` with "${errorLine.replace(/(?<!\.)\.$/, '')}"`;
  return `${code(call)} has failed${said}${only.join('')}`;
}

/** What the variables of calls and remedies were, each once. A value that names something private is left out. */
function valuesOf(conditions: readonly Condition[], isPublic: (value: string) => boolean): string[] {
  const found = new Map<string, string>();
  for (const one of conditions) {
    const shown = [...shownOf(one, one.call), ...shownOf(one, one.remedy), ...(one.step ?? [])];
    for (const name of new Set(variablesOf(shown.filter((item) => !isAny(item))))) {
      const values = (one.values[name] ?? []).filter((value) => isValue(value) && isPublic(value));
      if (values.length < 2 || found.has(name)) continue;
      const among = values.length > MOST.values ? ', among others' : '';
      found.set(name, `\`<${name}>\` was ${either(values.slice(0, MOST.values))}${among}.`);
    }
  }
  return [...found.values()];
}

const isValue = (value: string): boolean => value !== '' && value.length <= LONGEST.value && !/[`<>[\]]/.test(value);

const either = (values: readonly string[]): string => {
  const shown = values.map((value) => `\`${value}\``);
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
};

/** The tokens, each value together with the name of its argument. */
const partsOf = (pattern: Pattern): string[] =>
  pattern
    .map((item) => (isAny(item) ? ELLIPSIS : itemText(item)))
    .reduce<string[]>((parts, text) => {
      const last = parts.at(-1);
      if (last?.endsWith('=') === true) parts[parts.length - 1] = last + text;
      else parts.push(text);
      return parts;
    }, []);

/** The title without code; of a step only what is written in it. The names of arguments say nothing without their values. */
function nameOf({ tool, call, error, step, remedy }: Condition, title: string): string {
  const wordsIn = (pattern: Pattern) => literals(pattern).filter((word) => !/=$|^\[/.test(word));
  if (step === undefined) {
    const said = title.replaceAll('`', '');
    const [to, out] = said.split(' instead of ').map((side) => side.replace(/^(?:Use|Run) |[^A-Za-z0-9]/g, ''));
    // Without their hyphens and blanks, `docker compose` and `docker-compose` are one.
    return to === out ? `${programIn(call) ?? tool} ${literals(error).slice(-WORDS_OF_ERROR).join(' ')}` : said;
  }
  return `${wordsIn(step).join(' ')} before ${wordsIn(remedy)
    .slice(0, tool === 'shell' ? 2 : 1)
    .join(' ')}`;
}

/** A statement with open places says less than the word that changed. */
const isReadable = ({ tool }: Condition, title: string): boolean =>
  title.length <= LONGEST.title && (tool === 'shell' || !title.includes(ELLIPSIS));

/** The first word of a call that does not only set up the others. */
function programIn(call: Pattern): string | undefined {
  const words = literals(call);
  const starts = words.filter((_, at) => at === 0 || isOperator(words[at - 1] ?? ''));
  return starts.find((word) => !SETS_UP.test(word)) ?? starts[0];
}

/** By the first place at which one word takes the place of another, or is new or left out. */
function shortTitle(
  { follow }: LearnedClaim,
  { tool, call, remedy }: Condition,
  first: string | undefined,
): string | undefined {
  const failing = programIn(call) ?? tool;
  if (follow.includes('-"⟨a⟩"')) return `Call \`${failing}\` with a number and not a text`;
  if (first !== undefined) return `${first} before \`${failing}\``;
  // A word of a statement may be anything: a name of a table, or a key word.
  const isStatement = tool !== 'shell' && call.some(isAny);
  const isOpen = (part: string | undefined): boolean => part !== undefined && /^(?:\.{3}|<.*>)$/.test(part);
  const places = hunksOf(partsOf(call), partsOf(remedy)).filter(
    ({ removed, added }) => removed.length <= 1 && added.length <= (removed.length === 1 ? MOST_ADDED : 1),
  );
  const place = places.find(({ removed, added }) => removed.length === 1 && added.length > 0) ?? places[0];
  if (place === undefined) return undefined;
  const [to, [out]] = [place.added.length === 0 ? undefined : place.added.join(' '), place.removed];
  if (place.added.some(isOpen)) return undefined;
  if (to !== undefined && isOpen(out)) return `Use \`${to}\` in \`${failing}\``;
  if (to === undefined) return `Leave \`${out}\` out of \`${failing}\``;
  if (out !== undefined) return `Use \`${to}\` instead of \`${out}\``;
  return isStatement ? undefined : `Add \`${to}\` to \`${failing}\``;
}
