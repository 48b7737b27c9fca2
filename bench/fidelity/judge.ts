import { isFilledCall, isFilledLine, isShell, rawCommandOf, toolCallIn } from './call-pattern.js';
import { type JudgedLesson, type Span, spansOf } from './lesson-spans.js';
import { type CallPair, type DecidingValue, decidingValues } from './lost-values.js';
import { isElided, isElision, ObservedCalls } from './observed-calls.js';
import { privateValuesIn } from './private-values.js';
import { PLACEHOLDER, simpleCommands, tokensOf } from './shell-tokens.js';

/** A lesson of a set with the calls that it was written from. */
export interface LessonUnderTest {
  readonly lesson: JudgedLesson;
  /** The tool of the failed action: `shell`, or the tool's name in lower case. */
  readonly tool: string;
  /** The failed action and the class of its error, which one family of failures shares. */
  readonly family: string;
  /** One pair of each execution in which the failure was overcome as the lesson says. */
  readonly pairs: readonly CallPair[];
}

export interface SetUnderTest {
  readonly name: string;
  readonly worked: ObservedCalls;
  readonly failed: ObservedCalls;
  /** Calls whose arguments the set cut. What is one of them cannot be judged, and is not counted. */
  readonly cut: readonly ObservedCalls[];
  readonly names: ReadonlySet<string>;
  readonly lessons: readonly LessonUnderTest[];
}

/** What is wrong with a lesson, for `--details`. */
export interface Finding {
  readonly figure: 'observed' | 'dangling' | 'lost' | 'private';
  readonly lesson: string;
  readonly text: string;
}

export interface Fidelity {
  readonly commands: number;
  /** How many of the commands were observed to work. */
  readonly observed: number;
  readonly dangling: number;
  readonly lost: number;
  readonly private: number;
  readonly findings: readonly Finding[];
}

/**
 * Judges the lessons of one set by its rows alone. A command is counted once for each lesson that shows it.
 *
 * - `commands`: recommended commands and tool calls in title, description, action, steps and example, and the failing
 *   call of an example. `observed`: those that are an observed successful call with its placeholders filled, or one word
 *   of one; for the failing call of an example, an observed failed one.
 * - `dangling`: flags without the value that observed calls give them, empty variables, placeholders that do not say
 *   what goes there.
 * - `lost`: families in which the failed and the successful call differ by a value that the lesson does not show.
 * - `private`: home paths, e-mail addresses, hosts, addresses with a query, names of people, and canaries.
 */
export function judge(set: SetUnderTest): Fidelity {
  const findings: Finding[] = [];
  const lostFamilies = new Set<string>();
  let commands = 0;
  let observed = 0;
  for (const { lesson, family, pairs } of set.lessons) {
    const note = (figure: Finding['figure'], text: string): void => {
      findings.push({ figure, lesson: `${lesson.kind}: ${lesson.title}`, text });
    };
    const spans = spansOf(lesson);
    for (const { text, tool, isObserved } of commandsOf(lesson, spans, set)) {
      commands += 1;
      if (isObserved) observed += 1;
      else note('observed', tool === undefined || tool === 'shell' ? text : `${tool} ${text}`);
    }
    for (const text of danglingIn(lesson, spans, set)) note('dangling', text);
    const lost = lostValues(lesson, spans, pairs);
    if (lost.length > 0 && !lostFamilies.has(family)) {
      lostFamilies.add(family);
      note('lost', `${family}: ${lost.map(({ name, text }) => (name ? `${name} ${text}` : text)).join(', ')}`);
    }
    for (const text of privateIn(lesson, set.names)) note('private', text);
  }
  const count = (figure: Finding['figure']): number => findings.filter((one) => one.figure === figure).length;
  const [dangling, lost, isPrivate] = [count('dangling'), count('lost'), count('private')];
  return { commands, observed, dangling, lost, private: isPrivate, findings };
}

interface JudgedCommand extends Pick<Span, 'text' | 'tool'> {
  readonly isObserved: boolean;
}

function commandsOf(lesson: JudgedLesson, spans: readonly Span[], set: SetUnderTest): JudgedCommand[] {
  const isKnown = ({ text, tool }: Pick<Span, 'text' | 'tool'>): boolean =>
    !set.cut.some((calls) => calls.isInstance(text, tool));
  const recommended = [...spans.filter(({ role }) => role === 'recommended'), ...unbracketed(lesson, spans)]
    .map(({ text, tool }) => ({
      text,
      ...(tool === undefined ? {} : { tool }),
      isObserved: tool === undefined ? set.worked.holds(text) : set.worked.isInstance(text, tool),
    }))
    .filter((command) => command.isObserved || isKnown(command));
  const failing = lesson.example?.failed;
  if (failing === undefined) return recommended;
  const { call: text, tool } = failing;
  const isObserved = set.failed.isInstance(text, tool);
  return isObserved || isKnown({ text, tool }) ? [...recommended, { text, tool, isObserved }] : recommended;
}

/** Calls that a plain text shows without the brackets of their placeholders, so that they look whole. */
function unbracketed({ parts }: JudgedLesson, spans: readonly Span[]): Pick<Span, 'text' | 'tool'>[] {
  const bare = (text: string): string => text.replace(/[<>\s]/g, '');
  const plain = parts.map(({ text }) => bare(text.replace(PLACEHOLDER, '\0')));
  return spans
    .filter(({ text, role }) => role === 'recommended' && text.search(PLACEHOLDER) >= 0 && bare(text).length > 8)
    .filter(({ text }) => plain.some((one) => one.includes(bare(text))))
    .map(({ text }) => text.replace(/[<>]/g, ''))
    .filter((text, at, all) => all.indexOf(text) === at)
    .map((text) => ({ text }));
}

/** Marks of normalised actions such as `[file:.py]`, and empty or unspecific placeholders; not the `<>` of SQL. */
const NAMELESS =
  /(?<![\w\])])\[(?:[a-z]{1,12}|file:[\w.*]{1,12})\](?!\()|<(?:(?<!\b(?:WHERE|AND|OR|ON|HAVING)\s[\w.]{1,60}\s?<)\s*|\.{3}|…|x|arg|placeholder)>/g;
const EMPTY_VARIABLE = /(?<![\w$])[A-Z_][A-Z0-9_]{1,60}=(?=\s|$)/g;
const UNSPECIFIC = /^<(?:value|text|word|list|object|number)>$/;

/** The same fault in several spans of one lesson counts once. */
function danglingIn({ parts, file, example }: JudgedLesson, spans: readonly Span[], set: SetUnderTest): string[] {
  const found = new Set<string>();
  for (const text of [...parts.map((part) => part.text), file].map((one) => withoutMessages(one, example?.error)))
    for (const [mark] of text.matchAll(NAMELESS)) found.add(mark);
  for (const { text, role, tool } of spans) {
    if (role === 'error') continue;
    for (const [mark] of text.matchAll(NAMELESS)) found.add(mark);
    for (const [mark] of text.matchAll(EMPTY_VARIABLE)) found.add(mark);
    if (tool !== undefined && tool !== 'shell') continue;
    if (set.worked.isInstance(text) || set.failed.isInstance(text)) continue;
    for (const words of simpleCommands(tokensOf(text)))
      for (const fault of danglingWords(words, set.worked)) found.add(fault);
  }
  return [...found];
}

/** Without the texts in double quotes, which are messages of programs. */
const withoutMessages = (text: string, error = ''): string =>
  (error === '' ? text : text.replaceAll(error, '')).replace(/"[^"\n]{0,600}"/g, '""');

/** Flags without the value that successful calls give them, and operands that say nothing about what goes there. */
function danglingWords(words: readonly string[], worked: ObservedCalls): string[] {
  return words.flatMap((word, at) => {
    const [before, after] = [words[at - 1], words[at + 1]];
    if (/^--?[\w-]{1,60}=$/.test(word)) return [word];
    if (UNSPECIFIC.test(word) && at > 0 && before?.startsWith('-') !== true) return [`${before ?? ''} ${word}`];
    const lacksValue = word.startsWith('-') && (after === undefined || after.startsWith('-'));
    return lacksValue && worked.valued.has(word) && !worked.bare.has(word) ? [word] : [];
  });
}

/** A value that a lesson may replace, because it is private or differs from case to case. */
const OWN = /(?:^|[=:,@'"])(?:\/|~|[A-Za-z]:\\)|:\/\/|@|\d{5,}|[0-9a-f]{8,}|(?:\d{1,3}\.){3}\d/;

/** The values that decided in most of the pairs, and that the lesson does not show. */
function lostValues(lesson: JudgedLesson, spans: readonly Span[], pairs: readonly CallPair[]): DecidingValue[] {
  const seen = new Map<string, { value: DecidingValue; pairs: CallPair[] }>();
  const differing = pairs
    .map((pair) => ({ pair, values: decidingValues(pair) }))
    .filter(({ values }) => values.length > 0);
  for (const { pair, values } of differing)
    for (const value of values) {
      const known = seen.get(value.text) ?? { value, pairs: [] };
      known.pairs.push(pair);
      seen.set(value.text, known);
    }
  const shared = [...seen.values()].filter((one) => one.pairs.length * 2 > differing.length);
  const candidates = shared.length > 0 ? shared : [...seen.values()].slice(0, 1);
  const isVarying = shared.length === 0;
  const all = differing.map(({ pair }) => pair);
  return candidates
    .filter(({ value, pairs: own }) => !isShown(value, isVarying ? all : own, lesson, spans, isVarying))
    .map(({ value }) => value);
}

function isShown(
  { text, name }: DecidingValue,
  pairs: readonly CallPair[],
  lesson: JudgedLesson,
  spans: readonly Span[],
  isVarying: boolean,
): boolean {
  const advice = [
    ...lesson.parts.filter(({ recommends }) => recommends).map((part) => part.text),
    ...spans.filter(({ role }) => role === 'recommended').map((span) => span.text),
  ];
  const plain = text.replace(/["']/g, '');
  if (advice.some((one) => one.replace(/["']/g, '').includes(plain))) return true;
  const calls = spans.filter((span) => span.role === 'recommended');
  const isCall = (span: Span): boolean => pairs.some(({ worked }) => isCallOf(span, worked));
  // of a long value, such as a query, a placeholder may hide a part
  const isMostlyShown = (span: Span): boolean => span.text.replace(PLACEHOLDER, '').length * 2 > text.length;
  if (text.length > 20 && calls.some((span) => isMostlyShown(span) && isCall(span))) return true;
  if (!isVarying && !OWN.test(text)) return false;
  if (name !== undefined && advice.some((one) => one.includes(name) && one.search(PLACEHOLDER) >= 0)) return true;
  return calls.some(isCall);
}

/** Returns whether the span is this very call with its placeholders filled. */
function isCallOf({ text }: Span, { tool, input }: CallPair['worked']): boolean {
  const call = rawCommandOf(tool, input);
  if (isShell(tool)) return call.lines.some((line) => isFilledLine(tokensOf(text), line));
  if (isElision(text)) return isElided(text, call);
  const shown = toolCallIn(text);
  return shown !== undefined && isFilledCall(shown.args, call.args);
}

function privateIn({ parts, file, example }: JudgedLesson, names: ReadonlySet<string>): string[] {
  const texts = [...parts.map(({ text }) => text), file, example === undefined ? '' : JSON.stringify(example)];
  return [...new Set(texts.flatMap((text) => privateValuesIn(text, names)))];
}
