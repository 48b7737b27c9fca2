/**
 * A line that says why, or what to do about it with the thing to do it with: `Set app.legacy=on in app.ini`, `please run
 * "tool init"`. Warnings are rarely why.
 */
export const SAYS_WHY =
  /^(?!\W{0,6}(?:warn(?:ing)?|deprecat|debug|info|note|notice)\b).{0,400}?(?:\b(?:could|can|did)(?: ?n[o']t|not) (?:find|be |read|open|connect)|\bnot (?:found|set|installed|enabled|configured|defined|allowed|available|in the)\b|\bno such\b|\bmissing\b|\brequire[sd]?\b|\bmust (?:be|have|not|set)\b|(?:(?<=^\W{0,8})|[.:;,(>] {0,3}|\b(?:please|must|need to|should|to) )(?:set|try|run|install|add|use|enable|export|define|pass|specify|upgrade) (?=.{0,80}?(?:["'`‘“]|\b[\w.-]{1,60}=|(?<![\w-])--?[a-z]|\w[._]\w)))/i;

const FAILED = /^(?:fail(?:ed|ures?|s)?|errors?|abort(?:ed)?|exceptions?|wrong|unsuccessful(?:ly)?)$/i;
/** Parts of the work, and words between them. */
const FILLS =
  /^(?:analysis|build|building|check|command|compilation|execution|executing|goal|hook|job|operation|phase|pipeline|process|recipe|run|running|script|stage|step|suite|target|tasks?|tests?|workflow|an?|the|of|in|on|at|for|to|by|with|and|is|was|were|has|have|some|one|more|occurred|happened|while|during|completed|finished|passed|skipped|total|time|what|went|see|below|above|details?|output|log|line|result|reason|due|m?s|seconds?)$/i;
/** The name of a test, a class or a place: no word of a sentence, and no code of an error. */
const NAME = /^(?=.{0,200}[a-z]).{1,200}?[A-Z_\d./:]./;
/** What is quoted or in parentheses is the name of what failed. */
const QUOTED = /"[^"]{0,300}"|'[^']{0,300}'|`[^`]{0,300}`|\([^)]{0,300}\)/g;

/**
 * Whether a line only says that something failed, and perhaps what and where: `Execution failed for task ':app:x'.`,
 * `--- FAIL: TestX (0.02s)`, `BuildTool Error at build.txt:12 (find):`. The lines around it say why.
 */
export function isHeadline(line: string): boolean {
  const words =
    line
      .slice(0, 400)
      .replace(QUOTED, ' ')
      .match(/\p{L}(?:\S{0,200}\w)?/gu) ?? [];
  const others = words.filter((one) => !FAILED.test(one) && !FILLS.test(one));
  if (!words.some((one) => FAILED.test(one))) return false;
  const isShort = words.length < 3 && /(?:failed|aborted)\W{0,3}$/i.test(line);
  return isShort || (others.length <= (line.trimEnd().endsWith(':') ? 2 : 1) && others.every((one) => NAME.test(one)));
}
