import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AnalysisQueue } from '../../src/capture/analysis/analysis-queue.service.js';
import { CaptureWorker } from '../../src/capture/analysis/capture-worker.service.js';
import { CaptureModule } from '../../src/capture/capture.module.js';
import { Executions } from '../../src/capture/intake/executions.service.js';
import { ExecutionRepository } from '../../src/capture/store/execution.repository.js';
import { FIRST_TURN } from '../../src/platform/background/next-in-turn.js';
import { ownRecovery, report } from '../support/reports.js';
import { startServices, type TestServices } from '../support/services.js';

const MANY = 500;
const PLACES = 20;

/** A payload as capture queues it. */
const BODY = {
  kind: 'failure',
  task: { title: 'Close the books' },
  environment: [],
  status: 'completed',
  terminationReason: 'end_turn',
  calls: [],
  omittedCalls: 0,
  obstacles: [],
  retryCount: 0,
};

describe('an agent with 500 pending executions', () => {
  let services: TestServices;
  let busy: string;
  let quiet: string;

  beforeAll(async () => {
    services = await startServices(CaptureModule);
    await services.get(CaptureWorker).beforeApplicationShutdown();
    const [first, second] = [await services.agent('Busy', 'Books'), await services.agent('Quiet', 'Toys')];
    [busy, quiet] = [first.id, second.id];
    const seed = report({ executionId: 'busy', toolCalls: ownRecovery('busy') });
    const { id } = await services.get(Executions).report(first, seed);
    const { client } = services.database;
    await client.$executeRaw`
      INSERT INTO "execution" SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'execution_id', 'busy ' || n))).*
      FROM "execution" e, generate_series(2, ${MANY}) n WHERE e."id" = ${id}::uuid`;
    services.clock.advance(1_000);
    await services.get(Executions).report(second, report({ executionId: 'quiet', toolCalls: ownRecovery('quiet') }));
  });
  afterAll(() => services.close());

  it('delays the one of another agent by less than one step of capture', async () => {
    const executions = services.get(ExecutionRepository);
    const next = await executions.findPending(services.database.client, PLACES);
    const agents = next.executions.map(({ agentId }) => agentId);
    expect(agents).toHaveLength(PLACES);
    expect(agents.filter((agentId) => agentId === quiet)).toHaveLength(1);
  });

  it('gives it the next turn, although its own reports are too large to be read with others', async () => {
    const { client } = services.database;
    await client.$executeRaw`
      UPDATE "execution" SET "report" = jsonb_set("report", '{taskTitle}', to_jsonb((
        SELECT string_agg(md5(n::text || "execution"."id"::text), '') FROM generate_series(1, 8000) n)))
      WHERE "id" IN (SELECT "id" FROM "execution" WHERE "agent_id" = ${busy}::uuid LIMIT 30)`;
    const executions = services.get(ExecutionRepository);
    const seen = new Set<string>();
    let last: string = FIRST_TURN;
    for (let steps = 0; steps < 2; steps += 1) {
      const next = await executions.findPending(client, PLACES, last);
      for (const { agentId } of next.executions) seen.add(agentId);
      last = next.last;
    }
    expect(seen).toContain(quiet);
  });

  it('leaves the second lease of the proposer to another agent, and half of a small batch', async () => {
    const { client } = services.database;
    await client.$executeRaw`
      INSERT INTO "analysis_payload" ("id", "execution_id", "agent_id", "kind", "body", "state", "created_at")
      SELECT gen_random_uuid(), e."id", e."agent_id", 'failure', ${JSON.stringify(BODY)}::jsonb, 'pending', e."received_at"
      FROM "execution" e`;
    const queue = services.get(AnalysisQueue);
    const leased = [await queue.leaseNext(), await queue.leaseNext()].map((payload) => payload?.agentId);
    expect([...leased].sort()).toEqual([busy, quiet].sort());
    await client.analysisPayload.updateMany({ data: { leaseUntil: null, leaseToken: null } });
    const batch = '00000000-0000-4000-8000-0000000ba7c4';
    await services.database.transaction((tx) => queue.leaseForBatch(tx, batch, 2, 1_000));
    const held = await client.analysisPayload.findMany({ where: { leaseToken: batch } });
    expect(held.map(({ agentId }) => agentId).sort()).toEqual([busy, quiet].sort());
  });
});
