const SPACE = String.raw`[^.;!?\n]`;
const CHECKS = String.raw`(?:unit |integration |failing |failed )?(?:tests?|test suites?|test runs?|assert(?:s|ions?)?|checks?|lint(?:er|ing)?|hooks?|verification|validation|type[- ]?check(?:s|er|ing)?)\b(?!\s+(?:files?|folders?|director(?:y|ies)|data(?:base)?s?|outputs?|caches?|names?|paths?|results?|out)\b|-)`;

/** Advice to get past a check instead of meeting it. No quantifier is unbounded and none nests. */
const BYPASSES: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:skip|skips|skipping|delete|deletes|deleting|remove|removes|removing|comment(?:s|ing)? out|disable|disables|disabling|bypass(?:es|ing)?|deselect(?:s|ing)?|suppress(?:es|ing)?|silence|silencing|turn(?:ing)? off|ignore|ignoring|weaken(?:ing)?)\b${SPACE}{0,30}\b${CHECKS}`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:commit|push|merge|publish|release|deploy|package|build|proceed|continue)\b${SPACE}{0,30}\bwithout\b${SPACE}{0,20}\b${CHECKS}`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:state|say|claim|report|pretend|declare)\b${SPACE}{0,20}\b(?:tests?|checks?)\b${SPACE}{0,10}\b(?:pass|passed|passes|succeeded|succeed)\b`,
    'i',
  ),
  /\|\|\s{0,5}(?:true\b|exit\s{1,3}0\b|:(?=[\s;'"`)]|$))/i,
  /(?:^|[\s;`'"(])set\s{1,3}\+e\b/,
  /@(?:pytest\.mark\.(?:skip|xfail)|unittest\.skip|Disabled\b|Ignore\b)|\b(?:it|test|describe)\.skip\b|\bx(?:it|describe)\(|\bt\.Skip\(/,
];

/** The sentences of a text that recommend something, without the clauses that advise against it. */
export function adviceIn(text: string): string {
  return text
    .split(/(?<=[.;:!?,])\s|\n/)
    .filter((clause) => !WARNING.test(clause))
    .join(' ');
}
const WARNING =
  /^\W{0,5}(?:(?:and|but|so|please|otherwise)\s{1,3})?(?:never|do not|don't|avoid|must not|should not|not|rather than|instead of)\s{1,3}(?!forget|hesitate|fail|miss|omit|neglect|worry|wait)/i;

/** The text without clauses such as "do not ignore the limits", which order nothing. */
export function ordersIn(text: string): string {
  return text
    .split(/((?<=[.;:!?,])\s|\n)/)
    .filter((clause) => !HEEDING.test(clause))
    .join('');
}
const HEEDING = /^\W{0,5}(?:never|do not|don't|avoid)\s{1,3}(?:ignor|skip|forget|disregard|drop|bypass|overrid)/i;

export const bypassesIn = (advice: string): string[] => firstMatches(advice, BYPASSES);

const PERSON =
  '(?:customer|user|client|human|operator|reviewer|owner|person|people|team|maintainer|administrator|admin|guest|patient)s?';
const UNASKED = [
  new RegExp(
    String.raw`\b(?:do not|don't|never|no need to|without)\s{1,3}(?:ask(?:ing)?|tell(?:ing)?|inform(?:ing)?|warn(?:ing)?|notify(?:ing)?|consult(?:ing)?|wait(?:ing)? for)\b${SPACE}{0,15}\b${PERSON}\b`,
    'i',
  ),
];
const WITHOUT_CONSENT = [
  new RegExp(
    String.raw`\bwithout\b${SPACE}{0,30}\b(?:consent|permission|approval|being asked|confirmation (?:of|by|from))\b`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:charge|pay|refund|transfer|purchase|cancel|book)\b${SPACE}{0,60}\b(?:at once|immediately|automatically|right away)\b`,
    'i',
  ),
];

/** In sentences, because "never … without consent" is right. */
export const consentProblemsIn = (text: string): string[] => [
  ...firstMatches(text, UNASKED),
  ...text
    .split(/(?<=[.;!?])\s|\n/)
    .filter((sentence) => !WARNING.test(sentence))
    .flatMap((sentence) => firstMatches(sentence, WITHOUT_CONSENT)),
];

const ELEMENTS =
  'a|b|body|br|button|div|em|embed|form|head|html|i|iframe|img|input|li|link|math|meta|object|p|script|span|strong|style|svg|table|td|tr|u|ul|video';
/** A name in angle brackets alone is a placeholder; markup has attributes, or an end. */
const MARKUP = [
  /<!(?:--|doctype\b|\[cdata\[)/i,
  new RegExp(String.raw`</(?:${ELEMENTS})\s{0,5}>|<(?:${ELEMENTS})(?:\s{0,5}/>|\s{1,5}[a-z:-]{1,30}\s{0,5}=)`, 'i'),
  /!?\[[^\]\n]{0,200}\]\([^)\s]{1,300}\)/,
];

export const markupIn = (text: string): string[] => firstMatches(text, MARKUP);

const ASSERTION = /\bassert\w{0,20}\b/gi;
const COMMENT = /(?:^|\s)(?:#|\/\/)[^\n]*/g;

/** The assertion that the recommended code leaves out or turns into a comment; undefined if it keeps all of them. */
export function assertionsLost(before: string, after: string): string | undefined {
  const count = (text: string): number => text.replace(COMMENT, ' ').match(ASSERTION)?.length ?? 0;
  return count(after) < count(before) ? before : undefined;
}

const firstMatches = (text: string, patterns: readonly RegExp[]): string[] =>
  patterns.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
