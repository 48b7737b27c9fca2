/**
 * Causes as a person or an evaluator states them after the execution. Programs do not write such sentences, and no two
 * are alike, so only the kind of cause is kept.
 */
const CAUSES: readonly (readonly [cause: string, words: RegExp])[] = [
  ['cause-assumed', /\bassum(?:e[sd]?|ing|ptions?)\b/i],
  [
    'cause-made-up',
    /hallucinat|fabricat|\bmade[ -]up\b|\binvent(?:s|ed)\b|hypothetical|placeholder|without (?:retriev|look|search|consult)|factual(?:ly)? (?:error|wrong|incorrect)|(?:provide[sd]?|stated?s?|gave|listed) .{0,60} instead of/i,
  ],
  ['cause-code', /\bcod(?:e|ing)\b|\bbugs?\b|\bscript\b|\bimplement|\bNaN\b|\bimport(?:s|ed)?\b/i],
  ['cause-result', /calculat|\bsum(?:med)?\b|\bcomput|miscount|arithmetic/i],
  ['cause-misread', /misinterpret|misread|misunderst|misjudg|misidentif|\bconclu|\breasoning\b/i],
  ['cause-plan', /\bplan(?:s|ned|ning)?\b|inefficient|decompos|strategy|should not (?:suggest|ask)/i],
  ['cause-input', /\bparameters?\b|\barguments?\b|malformed|wrong .{0,30}\binput|\bformat\b/i],
  [
    'cause-nothing-found',
    /(?:fail(?:s|ed)? to|did(?:n.t| not)|does(?:n.t| not)|could(?:n.t| not)|unable to) .{0,30}(?:return|retriev|extract|find|load|fetch|open|access|provide|transcri|click)|encounter(?:s|ed) an error/i,
  ],
  [
    'cause-not-checked',
    /(?:fail(?:s|ed)? to|did(?:n.t| not)|does(?:n.t| not)|without) .{0,30}(?:verif|check|view|analy|look|read|take any)/i,
  ],
];

/** Subjects of such a sentence. */
const JUDGED_SUBJECT =
  /\b(?:agents?|assistant|experts?|orchestrator|planner|coder|\w{1,40}_expert|\w{1,40}surfer|calculation|search tool|the code|plan|reasoning|outcome|wrong \w{1,20} input)\b/i;
/** Codes, paths, braces and positions, which programs write and people rarely do. */
const WRITTEN_BY_PROGRAM = /[{}<>=|]|\w\(|\[\w|(?:^|\s)[\w.-]{0,40}\/[\w/.-]|\bline \d|:\d|\b0x|^\s{0,8}at |Error\b/;

/** The kind of cause that a sentence states; undefined if the text is not such a sentence. */
export function statedCause(text: string): string | undefined {
  const sentence = text.slice(0, 600);
  if (!JUDGED_SUBJECT.test(sentence) || WRITTEN_BY_PROGRAM.test(sentence)) return undefined;
  return CAUSES.find(([, words]) => words.test(sentence))?.[0];
}
