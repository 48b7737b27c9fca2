import type { ExecutionReport, ToolCall } from '../src/capture/report/execution-report.schema.js';
import { SeededRandom } from './seeded-random.js';
import { titleOf } from './titles.js';

const SIZE = 5 * 1024;
const COMMANDS = [
  'git status --short',
  'python3 -m pytest tests/api --maxfail=1',
  'npm run build --workspace packages/web',
  'grep -rn handleRefund src/billing',
  'kubectl apply -f deploy/staging.yaml',
  'curl -sS https://status.example.org/healthz',
];
const ERRORS = [
  "Traceback (most recent call last):\n  File 'app/main.py', line 41, in <module>\nModuleNotFoundError: No module named 'requests'",
  'error: failed to push some refs\nhint: Updates were rejected because the remote contains work that you do not have.',
  'npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree',
];
const STARTED = Date.UTC(2026, 0, 1);

/**
 * The n-th report of a generated fleet, 5 KB as JSON, with different commands, files and errors in each and a secret in
 * every tenth.
 */
export function trafficReport(seed: number, n: number): ExecutionReport {
  const random = new SeededRandom(seed * 1_000_003 + n);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.uniform() * from.length)] ?? (from[0] as T);
  const id = `${seed}-${n.toString(36)}`;
  const report: ExecutionReport & { toolCalls: ToolCall[] } = {
    executionId: `execution-${id}`,
    taskId: `task-${id}`,
    taskTitle: titleOf(seed, n),
    taskType: 'maintenance',
    sessionId: `session-${id}`,
    model: 'a-model-1',
    startedAt: new Date(STARTED + n * 1_000).toISOString(),
    finishedAt: new Date(STARTED + n * 1_000 + 90_000).toISOString(),
    status: n % 5 === 0 ? 'failed' : 'completed',
    verification: { outcome: 'none' },
    terminationReason: 'end_turn',
    toolCalls: [],
    turnCount: 12,
    retryCount: 0,
    maxRetries: 3,
    tags: ['bench'],
  };
  for (let size = JSON.stringify(report).length; size < SIZE; ) {
    const number = Math.floor(random.uniform() * 1_000_000);
    const call: ToolCall = {
      name: 'shell',
      action: `${pick(COMMANDS)} # ${titleOf(seed + 1, number)}`,
      ok: random.uniform() > 0.15,
      durationMs: number % 5_000,
    };
    const failed = call.ok ? call : { ...call, errorCategory: 'exit-1', errorMessage: `${pick(ERRORS)} (${number})` };
    report.toolCalls.push(failed);
    size += JSON.stringify(failed).length + 1;
  }
  // Assembled here, so that no file contains a secret.
  if (n % 10 === 0) report.errorMessage = `401 for token ${'gh'}p_${id.replace('-', '').padEnd(36, 'aB3xY9')}`;
  return report;
}
