import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Executions } from '../../src/capture/intake/executions.service.js';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { MiningState } from '../../src/evolve/window/mining-state.service.js';
import { SavedCounts } from '../../src/evolve/window/saved-counts.service.js';
import { unpackPart } from '../../src/evolve/window/state-parts.js';
import { WindowReader } from '../../src/evolve/window/window-reader.service.js';
import { jobActor } from '../../src/journal/actor.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/base/durations.js';
import { Retention } from '../../src/retention/retention.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { pythonReport } from '../support/fleet.js';
import { reporter } from '../support/reporter.js';
import { run } from '../support/reports.js';
import { countsOf } from '../support/window-counts.js';

const WINDOW_DAYS = 3;
const NAMES = ['Ada', 'Ben', 'Cleo', 'Dora'] as const;
const OUTAGE = [run('npm install', 'npm ERR! network ECONNREFUSED'), run('yarn install')];
const job = jobActor('test');

describe('the saved counts of a window', () => {
  let app: TestApplication;
  const agents: { id: string; name: string }[] = [];
  let serial = 0;

  beforeAll(async () => {
    app = await startTestApplication({
      GUILDBOOK_EVOLVER_WINDOW_DAYS: `${WINDOW_DAYS}`,
      GUILDBOOK_KEEP_REPORTS_DAYS: '1',
    });
    for (const name of NAMES) agents.push({ id: (await app.agent(name, `team of ${name}`)).id, name });
  });
  afterAll(() => app.close());

  /** Another process on this database, with its own memory. */
  const process = (): MiningState => new MiningState(app.app.get(WindowReader), app.app.get(SavedCounts));
  const client = () => app.database.client;
  const removeOld = () => app.app.get(Retention).run(job, { dryRun: false });

  async function send(agent: number, change: Partial<ExecutionReport> = {}): Promise<void> {
    serial += 1;
    const { id, name } = agents[agent % agents.length] ?? { id: '', name: '' };
    const report = { ...pythonReport(app, `no ${serial}`), ...change };
    await app.app.get(Executions).report(reporter(id, name, `team of ${name}`), report);
  }

  /** Compares the counts of a process with those of the whole window. Returns how many executions it read. */
  async function cycle(state: MiningState): Promise<number> {
    const to = app.clock.now();
    const from = new Date(to.getTime() - WINDOW_DAYS * DAY_MS);
    let read = 0;
    const reader = await state.advance(from, to, async (executions) => {
      read += executions;
    });
    const { reader: whole } = await app.app.get(WindowReader).advance(undefined, { from, to });
    expect(countsOf(reader)).toEqual(countsOf(whole));
    return read;
  }

  it('go with a report that they may hold, and stay while they hold later ones only', async () => {
    await send(0, { toolCalls: [run('frobnicate-once', 'frobnicate-once: unheard-of trouble')] });
    await app.settled();
    app.clock.advance(HOUR_MS);
    await cycle(process());
    expect(await textOfSaved()).toContain('frobnicate-once');
    app.clock.advance(6 * DAY_MS);
    expect(await removeOld()).toMatchObject({ reports: 1 });
    expect([await client().miningState.count(), await client().miningStatePart.count()]).toEqual([0, 0]);
    await send(1, { toolCalls: [] });
    await app.settled();
    app.clock.advance(5 * DAY_MS);
    await send(2);
    app.clock.advance(HOUR_MS);
    await cycle(process());
    app.clock.advance(DAY_MS - 2 * HOUR_MS);
    expect(await removeOld()).toMatchObject({ reports: 1 });
    expect(await cycle(process())).toBe(0);
  });

  it('are those of the whole window after any history, in whichever process the cycles run', async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('report' as const), agent: fc.nat(3), at: fc.nat(5) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), agent: fc.nat(3), at: fc.nat(30) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('rename' as const), agent: fc.nat(3), at: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), agent: fc.nat(3), at: fc.nat(2) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('cycle' as const), agent: fc.nat(3), at: fc.nat(2) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
        const processes = [process(), process(), process()];
        for (const { do: what, agent, at } of steps) {
          if (what === 'report') await send(agent, anyReport(at));
          else if (what === 'wait') app.clock.advance(at * HOUR_MS);
          else if (what === 'rename') await rename(agent, `team ${at}`);
          else if (what === 'remove') await removeOld();
          // The last one stands for a process that has just started.
          else await cycle(agent === 3 ? process() : (processes[agent] ?? process()));
        }
        app.clock.advance(MINUTE_MS);
        for (const one of [process(), ...processes]) await cycle(one);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  /** A report alone, one of a session that grows or arrives out of order, the child of a late parent, or a parent. */
  function anyReport(kind: number): Partial<ExecutionReport> {
    const ago = (ms: number): string => new Date(app.clock.now().getTime() - ms).toISOString();
    const session = { sessionId: 'growing', startedAt: '2026-01-01T00:00:00.000Z' };
    const kinds: Partial<ExecutionReport>[] = [
      { verification: { outcome: 'succeeded', source: 'ci' } },
      { toolCalls: OUTAGE, verification: { outcome: 'failed', source: 'ci' } },
      { ...session, finishedAt: ago(0) },
      { ...session, finishedAt: ago(HOUR_MS / 2) },
      { parentExecutionId: `parent ${serial + 3}` },
      { executionId: `parent ${serial}`, parentExecutionId: `parent ${serial + 2}`, toolCalls: [] },
    ];
    return kinds[kind] ?? {};
  }

  async function textOfSaved(): Promise<string> {
    const parts = await client().miningStatePart.findMany();
    return parts.map(({ body }) => JSON.stringify(unpackPart(body))).join('');
  }

  async function rename(agent: number, owner: string): Promise<void> {
    const { id = '' } = agents[agent] ?? {};
    await client().principal.update({ where: { id }, data: { name: `${owner} ${agent} ${serial}`, owner } });
  }
});
