import type { StoredExecution } from '../../src/capture/observations/observation.js';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';

/** A kind of work by `of` agents, each on a different task. With calls alone, by eight agents. */
export type WorkKind =
  | readonly ToolCall[]
  | { readonly of: number; readonly calls: readonly ToolCall[]; readonly tags?: string[] };

/** A shell call; with an error message, a failed one. */
export const run = (action: string, errorMessage?: string): ToolCall =>
  errorMessage === undefined ? { name: 'Bash', action, ok: true } : { name: 'Bash', action, ok: false, errorMessage };

const isCalls = (work: WorkKind): work is readonly ToolCall[] => Array.isArray(work);

/** The executions of a fleet with this work, as the evolver reads them. */
export const observedWork = (kinds: readonly WorkKind[]): StoredExecution[] =>
  kinds.flatMap((work, kind) => {
    const { of, calls, tags = undefined } = isCalls(work) ? { of: 8, calls: work } : work;
    return Array.from({ length: of }, (_, n) => ({
      id: `e-${kind}-${n}`,
      agentId: `agent-${n}`,
      agentName: `Agent ${n}`,
      owner: 'owner',
      rootExecutionKey: `e-${kind}-${n}`,
      origin: `origin-${kind}-${n}`,
      finishedAt: '2026-03-01T10:00:00Z',
      report: {
        toolCalls: [...calls],
        status: 'completed',
        verification: { outcome: 'none' },
        ...(tags ? { tags } : {}),
      },
    }));
  });
