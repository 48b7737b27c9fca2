import { KeywordIndex } from '../text/keyword-index.js';
import { LinearPattern, type PatternMatch } from '../text/linear-pattern.js';
import { PLACEHOLDER } from '../text/placeholder.js';
import { byteLists } from './byte-lists.js';
import { COMMAND_RULES, LOGIN_RULES } from './command-rules.js';
import { CONFIGURATION_RULES } from './configuration-rules.js';
import {
  type DecodedView,
  decodedView,
  joinedView,
  linesWith,
  literalViews,
  quotedPrintableViews,
  reversed,
  reversedLines,
  spacedViews,
  viewThrough,
} from './decoded-view.js';
import { type EncodedRun, encodedRuns } from './encoded-runs.js';
import { GITLEAKS_RULES } from './gitleaks-rules.js';
import { PROSE_RULES } from './prose-rules.js';
import { NAMED_SERVICE_RULES, PROVIDER_RULES } from './provider-rules.js';
import { randomTokens } from './random-tokens.js';
import type { SecretRule } from './secret-rule.js';
import { KEY_RULES, LOCATION_RULES, NAME_RULES } from './structural-rules.js';

/** Rules of gitleaks that only identify a kind of value; our own rules are more precise. */
const GENERIC = /^(?:generic-|curl-|private-key$|jwt)/;
/** Rules of gitleaks that recognise a value by a provider name before it, not by its own form. */
const PROVIDER_NAME_PREFIX = /\(\?:=\|>/;

const generic = GITLEAKS_RULES.filter(({ id }) => GENERIC.test(id));
const specific = GITLEAKS_RULES.filter(({ id }) => !GENERIC.test(id));
const needsProviderName = ({ pattern }: SecretRule): boolean =>
  pattern instanceof LinearPattern && PROVIDER_NAME_PREFIX.test(pattern.source);

const selfIdentifying = [...KEY_RULES, ...PROVIDER_RULES, ...specific.filter((rule) => !needsProviderName(rule))];

/** In order of precedence: if two rules match the same text, the first one names it. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...selfIdentifying,
  ...LOCATION_RULES,
  ...COMMAND_RULES,
  ...specific.filter(needsProviderName),
  ...NAME_RULES,
  ...CONFIGURATION_RULES,
  ...LOGIN_RULES,
  ...PROSE_RULES,
  ...NAMED_SERVICE_RULES,
  ...generic,
];

/**
 * The number of rules at the beginning of SECRET_RULES that recognise a secret by its own form, regardless of its
 * context.
 */
export const SELF_IDENTIFYING_COUNT = selfIdentifying.length;

/** The position of a secret in a text, and the rule that names it. */
interface SecretSpan {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
}

/** The remaining cost allowed for a text. All scans of the text share it. */
export interface ScanBudget {
  remaining: number;
}

/**
 * Placeholders are hidden behind NUL, which plain text never contains: no rule can match a placeholder or take its name
 * ("token") for context.
 */
const HIDDEN = '\0';
const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g');

const REACH = { before: 80, after: 160 };
/** A longer token is cut for the patterns; no provider's key is nearly as long. */
const LONGEST_RUN = 9_000;
/** In a linear-time engine, finding groups costs tens of times as much as testing for a match. */
const GROUP_COST = 30;
/** The cheap pattern that a rule requires, compared with the rule itself. */
const CHECK_COST = 0.25;

const KEYWORDS = [...new Set(SECRET_RULES.flatMap(({ keywords }) => keywords))];
const INDEX = new KeywordIndex(KEYWORDS);
/** The rules that each keyword triggers, by index. */
const RULES_BY_KEYWORD = KEYWORDS.map((keyword) =>
  SECRET_RULES.flatMap(({ keywords }, number) => (keywords.includes(keyword) ? [number] : [])),
);

/** Maximum nesting of encodings. Each one is shorter than what encodes it, and all of them share the budget. */
const MAX_DEPTH = 4;

/**
 * Returns all secrets of a plain text, in order and without overlaps, or 'too costly' if the budget does not suffice.
 * Scans the text in each of its readings, what base64, base32, hexadecimal and lists of numbers in them encode, and the
 * text with broken lines and literals joined.
 */
export function findSecrets(text: string, budget: ScanBudget, depth = 0): SecretSpan[] | 'too costly' {
  const view = text.includes('[')
    ? text.replace(PLACEHOLDERS, (placeholder) => HIDDEN.repeat(placeholder.length))
    : text;
  const found = scan(view, budget, SECRET_RULES.length);
  if (depth < MAX_DEPTH) found.push(...encodedSecrets(view, budget, depth));
  for (const reading of readings(view)) {
    budget.remaining -= reading.text.length;
    if (budget.remaining < 0) return 'too costly';
    const secrets = scan(reading.text, budget, SECRET_RULES.length);
    if (depth < MAX_DEPTH) secrets.push(...encodedSecrets(reading.text, budget, depth));
    found.push(...toSourceSpans(reading, secrets, view));
  }
  for (const [joined, seam] of joinedViews(view)) {
    const spans = toSourceSpans(joined, scan(joined.text, budget, SELF_IDENTIFYING_COUNT), view);
    // Secrets on one side of a seam were found before.
    found.push(...spans.filter(({ start, end }) => seam.test(view.slice(start, end))));
  }
  found.push(...disguised(view, budget));
  return budget.remaining < 0 ? 'too costly' : merge(found);
}

/** The secrets that were written with blanks between their parts, or backwards. */
function* disguised(view: string, budget: ScanBudget): Generator<SecretSpan> {
  for (const spaced of spacedViews(view)) {
    const { text } = spaced;
    // Code and tables without their blanks imitate names with values, but no key.
    const secrets = [
      ...scan(text, budget, SELF_IDENTIFYING_COUNT),
      ...turned(scan(reversed(text), budget, SELF_IDENTIFYING_COUNT), text.length),
    ];
    yield* toSourceSpans(spaced, secrets, view);
  }
  for (const { text, end } of reversedLines(view))
    for (const { rule, ...span } of turned(scan(text, budget, SECRET_RULES.length), end))
      yield* withoutPlaceholders(view, rule, span.start, span.end);
}

/** Spans of a text that was read backwards, by its end. */
const turned = (spans: readonly SecretSpan[], last: number): SecretSpan[] =>
  spans.map(({ rule, start, end }) => ({ rule, start: last - end, end: last - start }));

/** The ways to read a text besides the obvious one: as a mail, without accents, and each without its escapes. */
function* readings(view: string): Generator<DecodedView> {
  const plain = decodedView(view);
  if (plain !== undefined) yield plain;
  for (const views of [quotedPrintableViews(view), foldedViews(view)]) {
    for (const reading of views) {
      yield reading;
      const inner = decodedView(reading.text);
      if (inner !== undefined) yield viewThrough(reading, inner);
    }
  }
}

/** The text with its parts joined at line breaks and at the quotes of literals, and what a seam contains. */
function* joinedViews(view: string): Generator<readonly [DecodedView, RegExp]> {
  const lines = joinedView(view);
  if (lines !== undefined) yield [lines, /\n/];
  for (const literal of literalViews(view)) yield [literal, /["'`]/];
}

/** The secrets inside encodings. The span is the whole encoding: a part of it means nothing to a reader. */
function encodedSecrets(view: string, budget: ScanBudget, depth: number): SecretSpan[] {
  const found: SecretSpan[] = [];
  const search = ({ start, end, text }: EncodedRun, isSecret: (span: SecretSpan) => boolean): void => {
    budget.remaining -= text.length;
    if (budget.remaining < 0) return;
    const secrets = findSecrets(text, budget, depth + 1);
    const first = secrets === 'too costly' ? undefined : secrets.find(isSecret);
    if (first !== undefined) found.push({ rule: first.rule, start, end });
  };
  for (const run of encodedRuns(view)) search(run, () => true);
  // Lists of measurements can spell a random text, but hardly ever the form or the name of a secret.
  for (const list of byteLists(view)) search(list, ({ rule }) => rule !== 'high-entropy');
  return found;
}

function toSourceSpans({ sourceOffsets: at }: DecodedView, spans: readonly SecretSpan[], view: string): SecretSpan[] {
  return spans.flatMap(({ rule, start, end }) => [
    ...withoutPlaceholders(view, rule, at[start] ?? 0, at[end] ?? view.length),
  ]);
}

/** Searches the keywords of the first `count` rules in one pass, then applies each rule only near its keywords. */
function scan(view: string, budget: ScanBudget, count: number): SecretSpan[] {
  const found: SecretSpan[] = [];
  const windows = windowsByRule(view, count);
  for (const number of [...windows.keys()].sort((a, b) => a - b)) {
    const rule = SECRET_RULES[number];
    if (rule === undefined) continue;
    for (const [from, to] of windows.get(number) ?? []) {
      for (const [start, end] of matches(view.slice(from, to), rule, budget)) {
        found.push(...withoutPlaceholders(view, rule.id, from + start, from + end));
      }
      if (budget.remaining < 0) return found;
    }
  }
  if (count < SECRET_RULES.length) return found;
  for (const [start, end] of randomTokens(view)) found.push({ rule: 'high-entropy', start, end });
  return found;
}

/** Returns the parts of the text that each rule must scan, in order and without overlaps. */
function windowsByRule(view: string, count: number): Map<number, [number, number][]> {
  const windows = new Map<number, [number, number][]>();
  INDEX.scan(view, (keyword, keywordEnd) => {
    for (const number of RULES_BY_KEYWORD[keyword] ?? []) {
      if (number >= count) continue;
      const { before, after } = SECRET_RULES[number]?.window ?? REACH;
      const from = Math.max(0, keywordEnd - (KEYWORDS[keyword]?.length ?? 0) - before);
      const known = windows.get(number);
      const last = known?.at(-1);
      if (last !== undefined && keywordEnd + after <= last[1]) continue;
      const to = endOfRun(view, keywordEnd + after);
      if (known === undefined) windows.set(number, [[from, to]]);
      else if (last !== undefined && from <= last[1]) last[1] = Math.max(to, last[1]);
      else known.push([from, to]);
    }
  });
  return windows;
}

/** Returns the end of the run of non-blank characters at the position, so that no token is cut. */
function endOfRun(view: string, position: number): number {
  const last = Math.min(view.length, position + LONGEST_RUN);
  for (let at = position; at < last; at++) if (view.charCodeAt(at) <= 32) return at;
  return last;
}

function* matches(text: string, rule: SecretRule, budget: ScanBudget): Generator<readonly [number, number]> {
  if (rule.requires !== undefined && !rule.requires.test(text)) {
    budget.remaining -= text.length * CHECK_COST;
    return;
  }
  budget.remaining -= text.length;
  const cost = rule.pattern instanceof LinearPattern ? GROUP_COST : 1;
  let from = 0;
  while (from <= text.length && budget.remaining >= 0) {
    const match = nextMatch(rule.pattern, text, from);
    if (match === undefined) {
      budget.remaining -= text.length - from;
      return;
    }
    const { start, end, secretStart, secretEnd } = match;
    budget.remaining -= (end - from) * cost;
    const secret = text.slice(secretStart, secretEnd).replaceAll(HIDDEN, '');
    if (secret !== '' && (rule.accepts?.(secret, text.slice(start, end)) ?? true)) {
      yield [secretStart, secretEnd];
      from = Math.max(end, start + 1);
    } else {
      // The rejected value may be the name of the next one: `token password = …`.
      from = Math.max(secretStart, start + 1);
    }
  }
}

function nextMatch(pattern: RegExp | LinearPattern, text: string, from: number): PatternMatch | undefined {
  if (pattern instanceof LinearPattern) return pattern.next(text, from);
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [start, end] = [match.index, match.index + match[0].length];
  const [secretStart, secretEnd] = match.indices?.slice(1).find((group) => group !== undefined) ?? [start, end];
  return { start, end, secretStart, secretEnd };
}

/** Yields the parts of a span outside placeholders, which stay. */
function* withoutPlaceholders(view: string, rule: string, start: number, end: number): Generator<SecretSpan> {
  for (const part of view.slice(start, end).matchAll(/[^\0]+/g)) {
    if (!/[\p{L}\p{N}]/u.test(part[0])) continue;
    yield { rule, start: start + part.index, end: start + part.index + part[0].length };
  }
}

/** Merges spans that overlap or touch, under the name of the rule that comes first in the table. */
function merge(found: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = [];
  // Sorting is stable, and `found` is in table order.
  for (const span of [...found].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start > last.end) merged.push(span);
    else merged[merged.length - 1] = { rule: last.rule, start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}

/**
 * Words for "password" beyond ASCII, which the index of keywords does not reach; in the folded view they read as the
 * English word. The rules know the words that remain after accents are removed, such as `contrasena`.
 */
const PASSWORD_WORDS = /паролем|пароля|пароль|密码|密碼|パスワード|暗証番号|비밀번호|암호|hasło|şifre|κωδικός|סיסמה/giu;
/** The verb after such a word, with the words before it. */
const IS = /(?<=password)[ \t]{0,3}(?:是|は|为|為|는|은|:)/gu;

/** Letters that look like those of ASCII, by their shape. */
const LOOK_ALIKES = new Map(
  [
    ...['аa', 'еe', 'оo', 'рp', 'сc', 'уy', 'хx', 'іi', 'јj', 'ѕs', 'ԁd', 'ɡg', 'ıi', 'łl', 'øo', 'đd', 'ßs'],
    ...['АA', 'ВB', 'ЕE', 'КK', 'МM', 'НH', 'ОO', 'РP', 'СC', 'ТT', 'УY', 'ХX', 'ІI', 'ЈJ', 'ЅS'],
    ...['ΑA', 'ΒB', 'ΕE', 'ΖZ', 'ΗH', 'ΙI', 'ΚK', 'ΜM', 'ΝN', 'ΟO', 'ΡP', 'ΤT', 'ΥY', 'ΧX', 'οo', 'νv'],
  ].map((pair) => [pair.slice(0, 1), pair.slice(-1)] as const),
);

const BEYOND_ASCII = /[^\0-\x7f]/;
/** Marks, and letters that may read as ASCII: the scripts of Europe and the words above. Symbols and dashes stay. */
const FOLDABLE = /[\p{M}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/gu;
const MAY_FOLD = /(?![\0-\x7f])[\p{M}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]|密|パ|暗|비|암|ס/u;
const MARKS = /\p{M}/gu;

/**
 * Yields the lines with such letters, with marks and accents removed, letters that look like ASCII replaced, and words
 * for "password" of other scripts translated.
 */
export function* foldedViews(text: string): Generator<DecodedView> {
  if (!BEYOND_ASCII.test(text)) return;
  for (const [start, end] of linesWith(text, MAY_FOLD)) {
    const words = replaced(part(text, start, end), PASSWORD_WORDS, () => ' password');
    const folded = replaced(words, FOLDABLE, fold);
    yield replaced(folded, IS, () => ': ');
  }
}

const part = (text: string, start: number, end: number): DecodedView => ({
  text: text.slice(start, end),
  sourceOffsets: Array.from({ length: end - start + 1 }, (_, at) => start + at),
});

const fold = (character: string): string =>
  LOOK_ALIKES.get(character) ?? character.normalize('NFKD').replace(MARKS, '');

function replaced(view: DecodedView, pattern: RegExp, replacement: (match: string) => string): DecodedView {
  let text = '';
  const at: number[] = [];
  let rest = 0;
  const take = (to: number): void => {
    text += view.text.slice(rest, to);
    for (let index = rest; index < to; index++) at.push(view.sourceOffsets[index] ?? 0);
  };
  for (const match of view.text.matchAll(pattern)) {
    take(match.index);
    const written = replacement(match[0]);
    for (let unit = 0; unit < written.length; unit++) at.push(view.sourceOffsets[match.index] ?? 0);
    text += written;
    rest = match.index + match[0].length;
  }
  take(view.text.length);
  at.push(view.sourceOffsets.at(-1) ?? 0);
  return { text, sourceOffsets: at };
}
