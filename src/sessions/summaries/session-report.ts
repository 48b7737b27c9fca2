import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';

const MOST_CALLS = 5_000;

/**
 * The reports of one session as one: its tasks one after the other. `reports`: the last one to finish first. A report
 * that overlaps a later one is an earlier state of it, or the same session from another source, and is left out.
 */
export function wholeSession(reports: readonly ExecutionReport[]): ExecutionReport | undefined {
  const parts: ExecutionReport[] = [];
  for (const report of reports) {
    const next = parts.at(0);
    if (next === undefined || Date.parse(report.finishedAt) <= Date.parse(next.startedAt)) parts.unshift(report);
  }
  const [first, last] = [parts.at(0), parts.at(-1)];
  if (first === undefined || last === undefined || first === last) return last;
  const turns = parts.flatMap(({ turnCount }) => turnCount ?? []);
  return {
    ...last,
    startedAt: first.startedAt,
    toolCalls: parts.flatMap(({ toolCalls }) => toolCalls).slice(-MOST_CALLS),
    ...(turns.length === 0 ? {} : { turnCount: turns.reduce((sum, count) => sum + count, 0) }),
  };
}
