const NAMES_THING = String.raw`["'\x60‘“]|\b[\w.-]{1,60}=|(?<![\w-])--?[a-z]|\w[._]\w`;
/** What to do, with the thing to do it with: `Set app.legacy=on in app.ini`, `please run "tool init"`. */
export const ADVICE = new RegExp(
  String.raw`(?:^\W{0,8}|[.:;,(>] {0,3}|\b(?:please|must|need to|should|to) )(?:set|try|run|install|add|use|enable|export|define|pass|specify|upgrade) (?=.{0,80}?(?:${NAMES_THING}))`,
  'i',
);
/** A line that says why, or what to do about it. */
const SAYS_WHY =
  /\b(?:could|can|did)(?: ?n[o']t|not) (?:find|be |read|open|connect)|\bnot (?:found|set|installed|enabled|configured|defined|allowed|available|in the)\b|\bno such\b|\bmissing\b|\brequire[sd]?\b|\bmust\b/i;
export const saysWhy = (line: string): boolean => SAYS_WHY.test(line) || ADVICE.test(line);

export const FAILED =
  /\b(?:fail(?:ed|ures?|s)?|errors?|abort(?:ed)?|exceptions?|wrong|unsuccessful(?:ly)?|incomplete)\b/i;
/** What fails: a part of the work, and not a thing that was asked for. */
const WORK =
  /^(?:build|building|check|command|compilation|execution|executing|goal|hook|job|operation|phase|pipeline|process|recipe|run|running|script|stage|step|suite|target|tasks?|tests?|workflow)$/;
const FILLS =
  /^(?:an?|the|of|in|on|at|for|to|by|with|and|is|was|were|has|have|some|one|more|occurred|happened|while|during|completed|finished|passed|skipped|total|time|what|went|see|below|above|details?|output|log|line|result|reason|due|m?s|seconds?)$/;
/** The name of a test, a class or a place, and no word of a sentence. */
const NAME = /[A-Z_\d./:]./;
/** What is quoted or in brackets is the name of what failed. */
const QUOTED = /"[^"]{0,300}"|'[^']{0,300}'|`[^`]{0,300}`|\([^)]{0,300}\)|\[[^\]]{0,300}\]/g;
const LONGEST = 400;

/**
 * Whether a line only says that something failed, and perhaps what: `Execution failed for task ':app:x'.`,
 * `--- FAIL: TestX (0.02s)`. The lines around it say why.
 */
export function isHeadline(line: string): boolean {
  const text = line.slice(0, LONGEST).trimEnd();
  if (!FAILED.test(text)) return false;
  const words = (text.replace(QUOTED, ' ').match(/\p{L}[^\s]{0,200}/gu) ?? []).map((one) =>
    one.replace(/\W{1,9}$/, ''),
  );
  if (words.length < 3 && /(?:failed|aborted)\W{0,3}$/i.test(text)) return true;
  const isWork = words.some((one) => WORK.test(one.toLowerCase())) || /^\W{0,4}FAIL/.test(text);
  const others = words.filter(
    (one) => !FAILED.test(one) && !WORK.test(one.toLowerCase()) && !FILLS.test(one.toLowerCase()),
  );
  return others.length === 0 || (isWork && others.length === 1 && others.every((one) => NAME.test(one.slice(1))));
}
