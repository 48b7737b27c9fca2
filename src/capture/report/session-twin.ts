import type { ExecutionReport } from './execution-report.schema.js';

/**
 * Products whose sessions can be reported in several formats: by their transcript, as `<product>`; by their hooks, as
 * `<product>-hooks`; by their telemetry, as `<product>-otel`; and by what a run without a person prints, as
 * `<product>-stream`. The reports of one session are one execution.
 */
export const ONE_SESSION_PRODUCTS: readonly string[] = ['claude-code', 'codex', 'gemini', 'opencode', 'copilot'];
const STREAM = '-stream';
const SUFFIXES: readonly string[] = ['', '-hooks', '-otel', STREAM];

/**
 * Milliseconds after the end of a report from which another report of the session tells of more: the server's clock
 * dates hooks, and the agent's machine its transcript and its telemetry.
 */
const CLOCK_TOLERANCE_MS = 60_000;

export const formatOfExecution = (executionId: string): string => executionId.split(':', 1)[0] ?? '';

/** The other formats in which the same session can be reported; none for executions of other origin. */
export function twinFormatsOf(executionId: string): string[] {
  const format = formatOfExecution(executionId);
  const product = ONE_SESSION_PRODUCTS.find((name) => SUFFIXES.some((suffix) => format === `${name}${suffix}`));
  return product === undefined ? [] : SUFFIXES.map((suffix) => `${product}${suffix}`).filter((name) => name !== format);
}

/** True if one person reports at most one execution of this id, whatever agents are named. */
export const isOfOneSession = (executionId: string): boolean => twinFormatsOf(executionId).length > 0;

/** True if the two ids are of two reports of one session, for executions of one session. */
export const areTwins = (one: string, other: string): boolean => twinFormatsOf(one).includes(formatOfExecution(other));

/** Whether the records of a session in the format hold the calls of its sub-agents as well. */
export const holdsSubAgents = (format: string): boolean => format !== `codex${STREAM}`;

/** The report of a session as another one of it is stored. */
interface StoredTwin {
  readonly finishedAt: Date;
  /** Calls of its record; null of earlier versions. */
  readonly calls: number | null;
}

/**
 * True if a report says nothing that the stored report of its session in another format does not say: it ended with it
 * and has no more calls, as hooks of a resumed session have none of its history. A stream is a part of its session, and
 * its end is only known from its file.
 */
export const isCoveredBy = (
  { executionId, finishedAt, toolCalls }: Pick<ExecutionReport, 'executionId' | 'finishedAt' | 'toolCalls'>,
  stored: StoredTwin,
): boolean =>
  toolCalls.length <= (stored.calls ?? toolCalls.length) &&
  (formatOfExecution(executionId).endsWith(STREAM) ||
    Date.parse(finishedAt) <= stored.finishedAt.getTime() + CLOCK_TOLERANCE_MS);
