import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { ExecutionReport, ToolCall } from '../../src/capture/report/execution-report.schema.js';
import type { TestApplication } from './application.js';

const SYNTAX = 'SyntaxError: invalid syntax';

function run(command: string, errorMessage?: string): ToolCall {
  const call = { name: 'Bash', action: command };
  return errorMessage === undefined ? { ...call, ok: true } : { ...call, ok: false, errorMessage };
}

/** `python` fails twice, and `python3` works. */
const PYTHON_TO_PYTHON3: readonly ToolCall[] = [
  run('python manage.py check', SYNTAX),
  run('python manage.py check', SYNTAX),
  run('python3 manage.py check'),
];

/** A finished execution of a unique task, so that no two share an origin. */
export function pythonReport(app: Pick<TestApplication, 'clock'>, task: string): ExecutionReport {
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
 * Registers the named agents, and lets each report one execution in which python failed and python3 worked. All data
 * arrives through the API, as from a real fleet.
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

/** Returns the only pending proposal, in full. Throws unless there is exactly one. */
export async function onlyPending(app: TestApplication): Promise<ProposalDetails> {
  const { items, total } = await app.admin.proposals.list();
  const [proposal] = items;
  if (!proposal || total !== 1) throw new Error(`expected 1 pending proposal, found ${total}`);
  return app.admin.proposals.show(proposal.id);
}

/** Lets a fleet of `names` report, runs one cycle, and returns its proposal. */
export async function proposedByFleet(app: TestApplication, names: readonly string[]): Promise<ProposalDetails> {
  await reportPythonFleet(app, names);
  await app.admin.evolver.run(false);
  return onlyPending(app);
}
