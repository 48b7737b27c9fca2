import { observe } from '../../src/capture/observations/observation.js';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';

/** One kind of work, done by so many agents, each on a task of its own; calls alone: by eight. */
export type WorkKind =
  | readonly ToolCall[]
  | { readonly of: number; readonly calls: readonly ToolCall[]; readonly tags?: string[] };

/** A call of the shell; with an error message, one that failed. */
export const run = (action: string, errorMessage?: string): ToolCall =>
  errorMessage === undefined ? { name: 'Bash', action, ok: true } : { name: 'Bash', action, ok: false, errorMessage };

const isCalls = (work: WorkKind): work is readonly ToolCall[] => Array.isArray(work);

/** The executions of a fleet that did this work, as the evolver reads them. */
export const observedWork = (kinds: readonly WorkKind[]) =>
  kinds.flatMap((work, kind) => {
    const { of, calls, tags = undefined } = isCalls(work) ? { of: 8, calls: work } : work;
    return Array.from({ length: of }, (_, n) =>
      observe({
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
      }),
    );
  });
