import type { ExpectedRun } from './expectation.js';

/** What the program shows after the imports and the cycle of a run. */
export interface Outcome {
  readonly executions: number;
  readonly agents: number;
  readonly projects: number;
  readonly calls: number;
  readonly failedCalls: number;
  readonly actions: readonly string[];
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
  /** What each proposal and each lesson recommends, as one text. */
  readonly proposals: readonly string[];
  readonly lessons: readonly string[];
  readonly unsolved: readonly string[];
}

const COUNTS = ['executions', 'agents', 'projects', 'calls', 'failedCalls'] as const;

/** Where the outcome of a run is another one than expected, one sentence each. */
export function differences(expected: ExpectedRun, seen: Outcome): string[] {
  const { orNamed, hasCall, proposal = [], noProposal = [], lesson = [], notUnsolved = [] } = expected;
  const named =
    orNamed === undefined ? [] : seen.unread.filter(({ file, reason }) => file.includes(orNamed) && reason !== '');
  const counts = COUNTS.flatMap((name) => {
    const wanted = expected[name];
    if (wanted === undefined || seen[name] === wanted) return [];
    // A file that is named holds one session, of which no more than its name can be known.
    const mayLack = named.length > 0 && seen[name] < wanted;
    if (mayLack && (name !== 'executions' || seen.executions + named.length === wanted)) return [];
    return [`${name}: expected ${wanted}, found ${seen[name]}`];
  });
  const has = (list: readonly string[], text: string) => list.some((one) => one.includes(text));
  return [
    ...counts,
    ...(hasCall === undefined || has(seen.actions, hasCall) ? [] : [`no stored call has "${hasCall}"`]),
    ...proposal.filter((text) => !has(seen.proposals, text)).map((text) => `no proposal recommends "${text}"`),
    ...noProposal.filter((text) => has(seen.proposals, text)).map((text) => `a proposal recommends "${text}"`),
    ...lesson
      .filter((text) => !has([...seen.proposals, ...seen.lessons], text))
      .map((text) => `no proposal and no lesson recommends "${text}"`),
    ...notUnsolved.filter((text) => has(seen.unsolved, text)).map((text) => `"${text}" is called unsolved`),
  ];
}
