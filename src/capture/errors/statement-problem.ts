/** Faults of a statement as the servers of databases report them, in templates. */
const PROBLEMS: readonly (readonly [message: RegExp, problem: string])[] = [
  [
    /\bGROUP BY clause\b|without GROUP BY|\buse of (?:group|aggregate|window)\b|\baggregate functions? (?:are not allowed|calls?|and applies)|non-?aggregated (?:column|query)/i,
    'statement: aggregation',
  ],
  [/\bcolumn\b.{0,160}\bambiguous\b|\bambiguous column\b/i, 'statement: ambiguous column'],
  [/\b(?:table|relation|view) \[name\] does(?:n't| not) exist|\bno such table\b/i, 'statement: unknown table'],
  [
    /\bunknown column\b|\bcolumn (?:\[name\]|[\w.]{1,80}) does(?:n't| not) exist|\bno such column\b/i,
    'statement: unknown column',
  ],
  [/\bunknown database\b|\bdatabase \[name\] does(?:n't| not) exist/i, 'statement: unknown database'],
];
const LONGEST = 400;

/** The fault of a statement that a template reports, the same for every server. Linear; undefined if there is none. */
export function statementProblem(template: string): string | undefined {
  const text = template.slice(0, LONGEST);
  return PROBLEMS.find(([message]) => message.test(text))?.[1];
}
