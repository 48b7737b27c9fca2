import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { CYCLE_DEFAULTS } from '../../../test/support/cycles.js';
import { pythonReport } from '../../../test/support/fleet.js';
import { reporter } from '../../../test/support/reporter.js';
import { run } from '../../../test/support/reports.js';
import { countsOf } from '../../../test/support/window-counts.js';
import { Executions } from '../../capture/intake/executions.service.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { ExecutionReader } from '../../capture/store/execution-reader.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS, HOUR_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { finishCycleFrom } from '../cycle/cycle.js';
import type { CycleReader } from './cycle-reader.js';
import { MiningStateRepository } from './mining-state.repository.js';
import { MiningState } from './mining-state.service.js';
import { SavedCounts } from './saved-counts.service.js';
import { packPart } from './state-parts.js';
import { WindowReader } from './window-reader.service.js';

const WINDOW_DAYS = 3;
const NAMES = ['Ada', 'Ben', 'Cleo', 'Dora'] as const;
const OUTAGE = [run('npm install', 'npm ERR! network ECONNREFUSED'), run('yarn install')];
const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };

describe('the counts of a window in the database', () => {
  let app: TestApplication;
  const agents: { id: string; name: string }[] = [];
  let serial = 0;
  const lines: unknown[] = [];
  const note = (line: unknown) => void lines.push(line);
  const logger: LoggerService = { log: () => undefined, warn: note, error: note };

  beforeAll(async () => {
    app = await startTestApplication({}, logger);
    for (const name of NAMES) agents.push({ id: (await app.agent(name, `team of ${name}`)).id, name });
  });
  afterAll(() => app.close());

  /** Each begins without counts, and with an empty window. */
  beforeEach(async () => {
    app.clock.advance(10 * DAY_MS);
    await client().miningState.deleteMany();
    lines.length = 0;
  });

  /** Another process on this database, with its own memory. */
  const process = (): MiningState => new MiningState(app.app.get(WindowReader), savedCounts());
  const savedCounts = (): SavedCounts =>
    new SavedCounts(
      ...([app.app.get(WorkerDatabase), app.app.get(Clock), app.app.get(Ids)] as const),
      app.app.get(MiningStateRepository),
    );
  const client = () => app.database.client;
  const saved = () => client().miningState.findFirst();
  const window = (days = WINDOW_DAYS) => {
    const to = app.clock.now();
    return { from: new Date(to.getTime() - days * DAY_MS), to };
  };

  async function send(agent: number, change: Partial<ExecutionReport> = {}): Promise<void> {
    serial += 1;
    const { id, name } = agents[agent % agents.length] ?? { id: '', name: '' };
    const report = { ...pythonReport(app, `no ${serial}`), ...change };
    await app.app.get(Executions).report(reporter(id, name, `team of ${name}`), report);
  }

  async function cycle(state: MiningState, days?: number): Promise<{ reader: CycleReader; read: number }> {
    const { from, to } = window(days);
    let read = 0;
    const reader = await state.advance(from, to, async (executions) => {
      read += executions;
    });
    const { reader: whole } = await app.app.get(WindowReader).advance(undefined, { from, to });
    expect(countsOf(reader)).toEqual(countsOf(whole));
    return { reader, read };
  }

  const events = (): unknown[] =>
    lines.flatMap((line) => (typeof line === 'object' && line !== null && 'event' in line ? [line.event] : []));

  it('give a new process what it needs: it reads only what changed since', async () => {
    for (const agent of [0, 1, 2, 3]) await send(agent);
    app.clock.advance(HOUR_MS);
    expect(await cycle(process())).toMatchObject({ read: 4 });
    expect(await saved()).toMatchObject({ executions: 4, parts: 1 });
    await send(0);
    app.clock.advance(HOUR_MS);
    expect(await cycle(process())).toMatchObject({ read: 1 });
    expect(await saved()).toMatchObject({ executions: 5 });
  });

  it('are not read by a process whose own counts can go on, because it keeps what it found with them', async () => {
    for (const agent of [0, 1, 2, 3]) await send(agent);
    app.clock.advance(HOUR_MS);
    const [one, other] = [process(), process()];
    const { reader } = await cycle(one);
    await send(0);
    app.clock.advance(HOUR_MS);
    await cycle(other);
    await send(1);
    app.clock.advance(HOUR_MS);
    const again = await cycle(one);
    expect([again.reader, again.read]).toEqual([reader, 2]);
    expect(await saved()).toMatchObject({ executions: 6 });
  });

  it('are saved again after an hour, or if a tenth of the executions are others', async () => {
    for (let n = 0; n < 30; n += 1) await send(n);
    app.clock.advance(HOUR_MS);
    const one = process();
    await cycle(one);
    const first = (await saved())?.id;
    app.clock.advance(HOUR_MS / 4);
    await send(0);
    await cycle(one);
    expect((await saved())?.id).toBe(first);
    for (let n = 0; n < 3; n += 1) await send(n);
    await cycle(one);
    const second = (await saved())?.id;
    expect([second === first, (await saved())?.executions]).toEqual([false, 34]);
    app.clock.advance(HOUR_MS);
    await cycle(one);
    expect((await saved())?.id).not.toBe(second);
    expect(await client().miningState.count()).toBe(1);
  });

  it('are ignored and replaced if another version of the program made them', async () => {
    for (const agent of [0, 1, 2]) await send(agent);
    app.clock.advance(HOUR_MS);
    await cycle(process());
    await client().miningState.updateMany({ data: { format: 'records 0, observations 1' } });
    expect(await cycle(process())).toMatchObject({ read: 3 });
    expect((await saved())?.format).not.toBe('records 0, observations 1');
    expect(events()).toEqual([]);
  });

  it('are ignored if the window has another length, or a day has passed', async () => {
    for (const agent of [0, 1, 2]) await send(agent);
    app.clock.advance(HOUR_MS);
    await cycle(process());
    expect(await cycle(process(), WINDOW_DAYS + 1)).toMatchObject({ read: 3 });
    expect(await cycle(process(), WINDOW_DAYS)).toMatchObject({ read: 3 });
    app.clock.advance(DAY_MS + 1);
    expect(await cycle(process())).toMatchObject({ read: 3 });
    app.clock.advance(DAY_MS - HOUR_MS);
    expect(await cycle(process())).toMatchObject({ read: 0 });
  });

  it.each<[string, (body: Uint8Array) => Promise<Uint8Array>]>([
    ['are damaged', async (body) => body.map((byte, at) => (at === body.length >> 1 ? byte ^ 255 : byte))],
    ['are cut', async (body) => body.subarray(0, body.length >> 1)],
    ['hold something else', () => packPart('[{"of":"something else"}]')],
    ['hold less than they should', () => packPart('[]')],
    ['do not belong together', () => packPart('[{"of":"usage","actions":[{"key":"a","sample":[7]}]}]')],
  ])('are reported and made again if they %s', async (_how, change) => {
    for (const agent of [0, 1, 2]) await send(agent);
    app.clock.advance(HOUR_MS);
    await cycle(process());
    const before = await client().miningStatePart.findFirstOrThrow();
    await client().miningStatePart.updateMany({ data: { body: new Uint8Array(await change(before.body)) } });
    expect(await cycle(process())).toMatchObject({ read: 3 });
    expect(events()).toContain('MINING_STATE_UNREADABLE');
    lines.length = 0;
    expect(await cycle(process())).toMatchObject({ read: 0 });
    expect(events()).toEqual([]);
  });

  it('are made again if a part of them is missing', async () => {
    for (const agent of [0, 1]) await send(agent);
    app.clock.advance(HOUR_MS);
    await cycle(process());
    await client().miningStatePart.deleteMany();
    expect(await cycle(process())).toMatchObject({ read: 2 });
    expect(events()).toEqual(['MINING_STATE_UNREADABLE']);
  });

  it('are not saved by a process that was overtaken, nor over counts that were removed meanwhile', async () => {
    await send(0);
    app.clock.advance(HOUR_MS);
    const state = await app.app.get(WindowReader).advance(undefined, window());
    expect(await savedCounts().save(state, undefined)).toBe(true);
    const first = await savedCounts().find();
    expect(await savedCounts().save(state, undefined)).toBe(false);
    const both = [savedCounts().save(state, first), savedCounts().save(state, first)];
    expect((await Promise.all(both)).sort()).toEqual([false, true]);
    expect([await client().miningState.count(), await client().miningStatePart.count()]).toEqual([1, 1]);
    const second = await savedCounts().find();
    await client().miningState.deleteMany();
    expect(await savedCounts().save(state, second)).toBe(false);
    expect(await client().miningState.count()).toBe(0);
    expect(events()).toEqual([]);
  });

  it('do not stop a cycle that cannot save them', async () => {
    await send(0);
    app.clock.advance(HOUR_MS);
    await client().$executeRawUnsafe(
      'ALTER TABLE "mining_state_part" ADD CONSTRAINT "full" CHECK (octet_length("body") < 0)',
    );
    expect(await cycle(process())).toMatchObject({ read: 1 });
    expect(events()).toEqual(['MINING_STATE_NOT_SAVED']);
    expect(await saved()).toBeNull();
    await client().$executeRawUnsafe('ALTER TABLE "mining_state_part" DROP CONSTRAINT "full"');
  });

  it('are not continued again by the process whose cycle failed with them', async () => {
    await send(0);
    app.clock.advance(HOUR_MS);
    await cycle(process());
    app.clock.advance(HOUR_MS);
    await send(1);
    const one = process();
    const { from, to } = window();
    const failing = one.advance(from, to, () => Promise.reject(new Error('the lease is lost')));
    await expect(failing).rejects.toThrow('the lease is lost');
    expect(await cycle(one)).toMatchObject({ read: 2 });
    expect(await cycle(process())).toMatchObject({ read: 1 });
  });

  it('lead to the same proposals as a reading of the whole window', async () => {
    for (const agent of [0, 1, 2, 3]) await send(agent);
    app.clock.advance(HOUR_MS);
    await cycle(process());
    await send(1, { toolCalls: OUTAGE });
    app.clock.advance(HOUR_MS);
    const { reader } = await cycle(process());
    const { reader: whole } = await app.app.get(WindowReader).advance(undefined, window());
    const settings = { ...CYCLE_DEFAULTS, minConfidenceForProposal: 0.5 };
    const outcome = (of: CycleReader) => finishCycleFrom(app.app.get(ExecutionReader), of, known, settings);
    const found = await outcome(reader);
    expect(found.drafts).toHaveLength(1);
    expect(found).toEqual(await outcome(whole));
  });
});
