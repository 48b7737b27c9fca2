import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS } from '../../../test/support/cycles.js';
import { pythonReport } from '../../../test/support/fleet.js';
import { run } from '../../../test/support/reports.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { Executions } from '../../capture/intake/executions.service.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { ExecutionReader } from '../../capture/store/execution-reader.service.js';
import { DAY_MS, HOUR_MS } from '../../platform/base/durations.js';
import { type CycleOutcome, finishCycleFrom } from '../cycle/cycle.js';
import { EvolveModule } from '../evolve.module.js';
import { MiningState } from './mining-state.service.js';
import { WindowReader } from './window-reader.service.js';

const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };

describe('the mining state between cycles', () => {
  let services: TestServices;
  let miningState: MiningState;
  const agents: Reporter[] = [];
  let serial = 0;

  beforeAll(async () => {
    services = await startServices(EvolveModule);
    miningState = services.get(MiningState);
    for (const name of ['Ada', 'Ben', 'Cleo', 'Dora', 'Eli'])
      agents.push(await services.agent(name, `team of ${name}`));
  });
  afterAll(() => services.close());

  /** One of the agents reports that `python` failed, and what it did next. */
  async function send(agent: number, change: Partial<ExecutionReport> = {}): Promise<void> {
    serial += 1;
    const actor = agents[agent];
    if (!actor) throw new Error(`no agent ${agent}`);
    await services.get(Executions).report(actor, { ...pythonReport(services, `no ${serial}`), ...change });
  }

  async function outcome(window?: MiningState): Promise<{ outcome: CycleOutcome; read: number }> {
    const to = services.clock.now();
    const from = new Date(to.getTime() - 3 * DAY_MS);
    let read = 0;
    const onRead = async (executions: number) => {
      read += executions;
    };
    const { reader } = window
      ? { reader: await window.advance(from, to, onRead) }
      : await services.get(WindowReader).advance(undefined, { from, to }, onRead);
    const settings = { ...CYCLE_DEFAULTS, minConfidenceForProposal: 0.5 };
    return { outcome: await finishCycleFrom(services.get(ExecutionReader), reader, known, settings), read };
  }

  /** Compares the kept counts with those of the whole window, and returns them. */
  async function compared() {
    // Executions of the last minutes are read again, since they may have been committed late.
    services.clock.advance(HOUR_MS);
    const warm = await outcome(miningState);
    const cold = await outcome();
    expect(warm.outcome).toEqual(cold.outcome);
    return { warm: warm.read, cold: cold.read, outcome: warm.outcome };
  }

  it('equals that of the whole window, and an update reads only what came and left', async () => {
    for (const agent of [0, 1, 2, 3]) await send(agent);
    expect(await compared()).toMatchObject({ warm: 4, cold: 4, outcome: { executionsRead: 4, drafts: [{}] } });

    services.clock.advance(22 * HOUR_MS);
    for (const agent of [1, 2, 4]) await send(agent, { toolCalls: [run('python ok.py')] });
    expect(await compared()).toMatchObject({ warm: 3, cold: 7, outcome: { executionsRead: 7 } });

    services.clock.advance(22 * HOUR_MS);
    await send(4);
    expect(await compared()).toMatchObject({ warm: 1, cold: 8 });

    services.clock.advance(22 * HOUR_MS);
    expect(await compared()).toMatchObject({ warm: 0, cold: 8 });
    services.clock.advance(13 * HOUR_MS);
    expect(await compared()).toMatchObject({ warm: 4, cold: 4, outcome: { executionsRead: 4, drafts: [] } });
  });

  it('merges executions under a parent that is reported late', async () => {
    for (const agent of [0, 1, 2]) await send(agent, { parentExecutionId: 'the parent' });
    const before = await compared();
    expect(before.outcome.drafts).toHaveLength(1);
    services.clock.advance(DAY_MS / 24);
    await send(3, { executionId: 'the parent', toolCalls: [] });
    const after = await compared();
    expect(after.outcome.drafts.map(({ evidence }) => evidence.counts)).toEqual([]);
  });

  it('counts only the latest report of a session that was reported again', async () => {
    const startedAt = services.clock.now().toISOString();
    await send(0, { sessionId: 'growing', startedAt, finishedAt: startedAt });
    const before = await compared();
    services.clock.advance(DAY_MS / 24);
    await send(0, { sessionId: 'growing', startedAt, finishedAt: services.clock.now().toISOString() });
    const after = await compared();
    expect(after.outcome.executionsRead).toBe(before.outcome.executionsRead);
  });

  it('applies a new name and owner of an agent to its earlier executions', async () => {
    for (const agent of [0, 1, 2, 3]) await send(agent);
    await compared();
    await services.database.client.principal.update({
      where: { id: agents[0]?.id ?? '' },
      data: { name: 'Ada the Second', owner: 'another team' },
    });
    const { outcome: now } = await compared();
    expect(JSON.stringify(now.drafts)).toContain('another team');
  });

  it('is discarded after a cycle that failed', async () => {
    services.clock.advance(DAY_MS / 24);
    await send(1);
    const to = services.clock.now();
    const fails = miningState.advance(new Date(to.getTime() - 3 * DAY_MS), to, () =>
      Promise.reject(new Error('the lease is lost')),
    );
    await expect(fails).rejects.toThrow('the lease is lost');
    const { warm, cold } = await compared();
    expect(warm).toBe(cold);
  });

  it('is discarded after a pause in which reports that left the window may have been removed', async () => {
    await send(0);
    await send(1);
    await compared();
    services.clock.advance(23 * HOUR_MS + 1);
    const { warm, cold } = await compared();
    expect([warm, cold > 0]).toEqual([cold, true]);
  });
});
