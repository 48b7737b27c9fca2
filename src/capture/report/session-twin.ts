/**
 * Products whose sessions can be reported in several ways: by their transcript as `<product>`, by their hooks as
 * `<product>-hooks`, and by their telemetry as `<product>-otel`. The reports of one session are one execution.
 */
const PRODUCTS: readonly string[] = ['claude-code', 'codex', 'gemini', 'opencode', 'copilot'];
const WAYS = ['', '-hooks', '-otel'] as const;
const TWINS: ReadonlyMap<string, readonly string[]> = new Map(
  PRODUCTS.flatMap((product) => {
    const formats = WAYS.map((way) => `${product}${way}`);
    return formats.map((format) => [format, formats.filter((other) => other !== format)] as const);
  }),
);

/**
 * Milliseconds after the end of a report from which another report of the session tells of more: the server's clock
 * dates hooks, and the agent's machine its transcript and its telemetry.
 */
const CLOCK_TOLERANCE_MS = 60_000;

export const formatOfExecution = (executionId: string): string => executionId.split(':', 1)[0] ?? '';

/** The other formats in which the same session can be reported; none for executions of other origin. */
export const twinFormatsOf = (executionId: string): readonly string[] =>
  TWINS.get(formatOfExecution(executionId)) ?? [];

/** True if the two ids are of two reports of one session, for executions of one agent and session. */
export const areTwins = (one: string, other: string): boolean => twinFormatsOf(one).includes(formatOfExecution(other));

/** True if a report says nothing that the stored report of its session in another format does not say. */
export const isCoveredBy = (finishedAt: string, stored: Date): boolean =>
  Date.parse(finishedAt) <= stored.getTime() + CLOCK_TOLERANCE_MS;
