import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { ExecutionReport, ToolCall } from '../../src/capture/report/execution-report.schema.js';
import type { TestApplication } from './application.js';

const SYNTAX = 'SyntaxError: invalid syntax';

function run(command: string, errorMessage?: string): ToolCall {
  const call = { name: 'Bash', action: command };
  return errorMessage === undefined ? { ...call, ok: true } : { ...call, ok: false, errorMessage };
}

/** Bare python fails, is repeated in vain, and python3 does it. */
const PYTHON_TO_PYTHON3: readonly ToolCall[] = [
  run('python manage.py check', SYNTAX),
  run('python manage.py check', SYNTAX),
  run('python3 manage.py check'),
];

/** A finished execution of a task of its own: no two of them share an origin. */
export function pythonReport(app: TestApplication, task: string): ExecutionReport {
  const at = app.clock.now().toISOString();
  return {
    executionId: `execution ${task}`,
    taskId: `task ${task}`,
    taskTitle: `Prepare the ${task} service for its release`,
    startedAt: at,
    finishedAt: at,
    status: 'completed',
    verification: { outcome: 'none' },
    terminationReason: 'end_turn',
    toolCalls: [...PYTHON_TO_PYTHON3],
    retryCount: 0,
    maxRetries: 3,
  };
}

export interface FleetAgent {
  readonly name: string;
  readonly token: string;
}

/**
 * Registers the named agents, and has each report one execution in which python failed and python3 worked. Nothing is
 * written behind the API: it comes in as a real fleet's reports do.
 */
export async function reportPythonFleet(app: TestApplication, names: readonly string[]): Promise<FleetAgent[]> {
  const agents: FleetAgent[] = [];
  for (const name of names) {
    const { token, client } = await app.agent(name, `team of ${name}`);
    await client.executions.report(pythonReport(app, name));
    agents.push({ name, token });
  }
  await app.settled();
  return agents;
}

/** The one item that waits for a decision, in full. Throws when there is none or another one. */
export async function onlyPending(app: TestApplication): Promise<ProposalDetails> {
  const { items, total } = await app.admin.proposals.list();
  const [item] = items;
  if (!item || total !== 1) throw new Error(`${total} items wait for a decision`);
  return app.admin.proposals.show(item.id);
}

/** Has a fleet of `names` report, runs one cycle, and returns the proposal that came of it. */
export async function proposedByFleet(app: TestApplication, names: readonly string[]): Promise<ProposalDetails> {
  await reportPythonFleet(app, names);
  await app.admin.evolver.run(false);
  return onlyPending(app);
}
