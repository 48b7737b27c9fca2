import type { ExecutionReport, ToolCall } from '../../src/capture/report/execution-report.schema.js';

export const SYNTAX_ERROR = 'SyntaxError: invalid syntax';

/** A shell call; with an error message, a failed one. */
export function run(command: string, errorMessage?: string): ToolCall {
  const call = { name: 'Bash', action: command };
  return errorMessage === undefined ? { ...call, ok: true } : { ...call, ok: false, errorMessage };
}

/** `python` fails, and `python3` works. */
export const PYTHON_TO_PYTHON3: readonly ToolCall[] = [run('python close.py', SYNTAX_ERROR), run('python3 close.py')];

/** A recovery from a failure of its own kind, so that its lesson is no witness of another one. */
export function ownRecovery(key: string): ToolCall[] {
  const name = key.replace(/[^a-z0-9]+/gi, '');
  return [run('python close.py', `Own${name}Error: it failed`), run('python3 close.py')];
}

/** A finished execution that recovered from a failure. */
export function report(change: Partial<ExecutionReport> = {}): ExecutionReport {
  return {
    executionId: 'execution-1',
    taskId: 'task-1',
    taskTitle: 'Close the books of March',
    startedAt: '2026-03-31T18:00:00Z',
    finishedAt: '2026-03-31T18:05:00Z',
    status: 'completed',
    verification: { outcome: 'none' },
    terminationReason: 'end_turn',
    toolCalls: [...PYTHON_TO_PYTHON3],
    retryCount: 0,
    maxRetries: 3,
    ...change,
  };
}
