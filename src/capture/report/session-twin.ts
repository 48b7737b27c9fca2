/**
 * Products whose sessions can be reported twice: by their hooks, as `<product>-hooks`, and by their transcript, as
 * `<product>`. The two reports of one session are one execution.
 */
const PRODUCTS: ReadonlySet<string> = new Set(['claude-code', 'codex', 'gemini', 'opencode', 'copilot']);
const HOOKS = '-hooks';

/**
 * Milliseconds after the end of a report from which the other report of the session tells of more: the server's clock
 * dates hooks, and the agent's machine its transcript.
 */
const CLOCK_TOLERANCE_MS = 60_000;

export const formatOfExecution = (executionId: string): string => executionId.split(':', 1)[0] ?? '';

/** The format in which the same session can be reported too; undefined for executions of other origin. */
export function twinFormatOf(executionId: string): string | undefined {
  const format = formatOfExecution(executionId);
  const isHooks = format.endsWith(HOOKS);
  const product = isHooks ? format.slice(0, -HOOKS.length) : format;
  if (!PRODUCTS.has(product)) return undefined;
  return isHooks ? product : `${product}${HOOKS}`;
}

/** True if the two ids are of the two reports of one session, for executions of one agent and session. */
export const areTwins = (one: string, other: string): boolean => twinFormatOf(one) === formatOfExecution(other);

/** True if a report says nothing that the stored report of its session in the other format does not say. */
export const isCoveredBy = (finishedAt: string, stored: Date): boolean =>
  Date.parse(finishedAt) <= stored.getTime() + CLOCK_TOLERANCE_MS;
