import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';

type Membership = (call: RecordedCall) => boolean;

/** The first retry of the same call in each execution. */
export function repeatsOf(
  executions: readonly RecordedExecution[],
  isMember: Membership,
): { readonly worked: number; readonly n: number } {
  const tries = executions.flatMap(({ calls }) => {
    const failed = calls.find((call) => isMember(call) && showsWhatFailed(call));
    const again = failed && calls.slice(failed.index + 1, failed.index + 9).find((one) => isSame(one, failed));
    return again?.ok === undefined ? [] : [again.ok];
  });
  return { worked: tries.filter(Boolean).length, n: tries.length };
}

/**
 * Returns whether a call that looks the same is the same: some reports leave arguments out, and then the error names a
 * path or a name that the call does not show.
 */
function showsWhatFailed({ text, error, failure }: RecordedCall): boolean {
  const fixed = new Set(wordsOf(failure?.template ?? ''));
  const named = wordsOf(error).filter((word) => !fixed.has(word) && /[a-z]/i.test(word));
  return named.length === 0 || named.some((word) => text.includes(word));
}

const wordsOf = (text: string): string[] => text.split(/[\s'"`:,;()[\]]+/).filter((word) => word.length > 1);

const isSame = (one: RecordedCall, failed: RecordedCall): boolean =>
  one.ok !== undefined && one.tool === failed.tool && one.text === failed.text;

/** Agents that got past the failure by skipping a check, and never in another way. */
export function skippingAgents(executions: readonly RecordedExecution[], isMember: Membership): number {
  const agents = new Set<string>();
  for (const { agentId, calls, source } of executions) {
    const failed = new Set(calls.filter(isMember).map(({ index }) => index));
    const trials = source.observed.episodes.flatMap((episode) => episode.trials).filter(({ from }) => failed.has(from));
    if (trials.some(({ skipsCheck, worked: did }) => did && skipsCheck)) agents.add(agentId);
  }
  return agents.size;
}
