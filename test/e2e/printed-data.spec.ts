import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import type { ExecutionReport, ToolCall } from '../../src/capture/report/execution-report.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { dumpTables } from '../support/dump.js';
import { pythonReport } from '../support/fleet.js';
import { http } from '../support/http.js';

const ROWS = 'Exit code 1\n17,Ann Canary,Berlin\n18,Ben Canary,overdue: payment failed';
/** The same failure at every agent, so that it becomes a lesson and a proposal. */
const CALLS: ToolCall[] = [
  { name: 'Bash', action: 'cat customers.csv && false', ok: false, errorMessage: ROWS, errorLine: ROWS.slice(12, 40) },
  { name: 'Bash', action: 'cat customers.csv', ok: true },
  { name: 'Bash', action: 'python close.py', ok: false, errorMessage: `${ROWS}\nSyntaxError: invalid syntax` },
  { name: 'Bash', action: 'python close.py', ok: false, errorMessage: `${ROWS}\nSyntaxError: invalid syntax` },
  { name: 'Bash', action: 'python3 close.py', ok: true },
];

let app: TestApplication;

beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

const printedReport = (task: string): ExecutionReport => ({
  ...pythonReport(app, task),
  errorMessage: ROWS,
  toolCalls: CALLS,
});

describe('data that a failing command printed', () => {
  it('is not in the reports that agents send one by one or in batches', async () => {
    for (const name of ['Cleo', 'Dan', 'Eve']) {
      const { client } = await app.agent(name, `team of ${name}`);
      await client.executions.report(printedReport(name));
    }
    const { token } = await app.agent('Finn', 'team of Finn');
    const request = http(app, token).post('/v1/executions/batch').type('application/x-ndjson');
    const { text } = await request.send(`${JSON.stringify(printedReport('Finn'))}\n`);
    expect(text).toContain('"executionId":"execution Finn"');
  });

  it('is not in the events of a hook', async () => {
    const { token } = await app.agent('Gus');
    const event = {
      session_id: 'session',
      hook_event_name: 'PostToolUseFailure',
      tool_name: 'Bash',
      tool_use_id: 'call',
      tool_input: { command: 'cat customers.csv && false' },
      error: ROWS,
    };
    for (const hook of [event, { session_id: 'session', hook_event_name: 'SessionEnd' }])
      expect(await post('/v1/hooks/claude-code', token, hook)).toBe(200);
    const fragments = JSON.stringify(await app.database.client.reportFragment.findMany());
    expect(fragments).toContain('cat customers.csv');
    expect(fragments).not.toContain('Canary');
    app.clock.advance(600_000);
    app.app.get(FragmentAssembler).wake();
    await app.app.get(FragmentAssembler).idle();
  });

  it('is in no report, payload, lesson, proposal or journal entry that follows from them', async () => {
    await app.settled();
    await app.admin.evolver.run(false);
    const { items } = await app.admin.proposals.list();
    expect(items.length).toBeGreaterThan(0);
    const { execution = [], ...rest } = await dumpTables(app.database);
    expect(execution.join('\n')).toContain('[output without an error line]');
    expect(execution.join('\n')).toContain('SyntaxError: invalid syntax');
    expect(JSON.stringify([execution, rest])).not.toContain('Canary');
  });
});

const post = async (path: string, token: string, body: object): Promise<number> =>
  (await http(app, token).post(path).send(body)).status;
