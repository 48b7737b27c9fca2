import type { StoredExecution } from '../../src/capture/observations/observation.js';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';

const SYNTAX = 'SyntaxError: invalid syntax';

/** A call of the shell, which failed if it has an error. */
export function run(command: string, errorMessage?: string): ToolCall {
  const call = { name: 'Bash', action: command };
  return errorMessage === undefined ? { ...call, ok: true } : { ...call, ok: false, errorMessage };
}

/** `python` fails, also when it is repeated; `python3` works. */
export const PYTHON = [run('python a.py', SYNTAX), run('python a.py', SYNTAX), run('python3 a.py')];
/** Fails in every execution, with every alternative. */
export const HOPELESS = [
  run('make all', 'make: *** No rule to make target'),
  run('ninja all', 'ninja: error: loading'),
];

/** An execution of a window: the n-th, by an agent of its own, of one of two owners, with an origin of its own. */
export function execution(n: number, toolCalls: ToolCall[], more: Partial<StoredExecution> = {}): StoredExecution {
  return {
    id: `execution-${n}`,
    agentId: `agent-${n}`,
    agentName: `Agent ${n}`,
    owner: `owner-${n % 2}`,
    rootExecutionKey: `execution-${n}`,
    origin: `origin-${n}`,
    finishedAt: `2026-03-${String((n % 28) + 1).padStart(2, '0')}T10:00:00Z`,
    report: { toolCalls, status: 'completed', verification: { outcome: 'none' } },
    ...more,
  };
}
