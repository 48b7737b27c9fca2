import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { report, run } from '../../../test/support/reports.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { DAY_MS, MINUTE_MS } from '../../platform/base/durations.js';
import { CaptureWorker } from '../analysis/capture-worker.service.js';
import { CaptureModule } from '../capture.module.js';
import { Executions } from '../intake/executions.service.js';
import { ExecutionReader } from './execution-reader.service.js';

let services: TestServices;
let ada: Reporter;
/** The same person's work under another name. */
let adaByFile: Reporter;
let ben: Reporter;

beforeAll(async () => {
  services = await startServices(CaptureModule);
  ada = await services.agent('Ada', 'Books');
  adaByFile = await services.agent('Ada by file', 'Books');
  ben = await services.agent('Ben', 'Shop');
});
afterAll(() => services.close());

/** A session of a history: its calls, those of the session it went on from included. */
interface Session {
  readonly id: string;
  readonly calls: readonly number[];
}

let serial = 0;
const START = Date.UTC(2026, 2, 31, 18);

/** The report of a session's first calls, with every third call failed. */
function reportOf(history: number, { id, calls }: Session, format = 'claude-code', first = 0, last = calls.length) {
  const own = calls.slice(first, last);
  const end = new Date(START + (own.at(-1) ?? 0) * MINUTE_MS).toISOString();
  return report({
    executionId: `${format}:${history}-${id}:${own.at(-1) ?? ''}`,
    sessionId: `${history}-${id}`,
    startedAt: new Date(START).toISOString(),
    finishedAt: end,
    toolCalls: own.map((one) => run(`step-${one} now`, one % 3 === 0 ? `Step${one}Error: no` : undefined)),
    callKeys: own.map((one) => sha256(`${history} ${one}`).slice(0, 32)),
  });
}

const send = (agent: Reporter, sent: ReturnType<typeof reportOf>) => services.get(Executions).report(agent, sent);

async function capture(): Promise<void> {
  services.get(CaptureWorker).wake();
  await services.get(CaptureWorker).idle();
}

/** What counts of the reports received since then. */
async function evidence(from: Date) {
  const reader = services.get(ExecutionReader);
  const ids: string[] = [];
  for await (const { observed } of reader.read(from, services.clock.now())) ids.push(observed.executionId);
  const calls: string[] = [];
  let failures = 0;
  let executions = 0;
  for await (const { observed, report: stored } of reader.readReported(ids)) {
    executions += 1;
    calls.push(...stored.toolCalls.map(({ action }) => action));
    failures += observed.episodes.reduce((sum, episode) => sum + episode.failures, 0);
  }
  return { executions, failures, calls: calls.sort() };
}

/** Sends the reports in a window of their own, and returns what counts of them. */
async function counted(sending: () => Promise<void>) {
  services.clock.advance(DAY_MS);
  const from = services.clock.now();
  await sending();
  services.clock.advance(MINUTE_MS);
  return evidence(from);
}

const FIRST: Session = { id: 'first', calls: [1, 2, 3] };
const FORK: Session = { id: 'fork', calls: [1, 2, 3, 4] };

describe('the calls of a session that repeats the history of another one', () => {
  it('count in the first, in either order, captured at once or one by one', async () => {
    for (const order of [
      [FIRST, FORK],
      [FORK, FIRST],
    ])
      for (const isOneByOne of [true, false]) {
        serial += 1;
        const history = serial;
        const found = await counted(async () => {
          for (const session of order) {
            await send(ada, reportOf(history, session));
            if (isOneByOne) await capture();
          }
          await capture();
        });
        expect(found).toMatchObject({ executions: 2, failures: 1 });
        expect(found.calls).toHaveLength(4);
      }
  });

  it('are shown apart from those that count in it', async () => {
    serial += 1;
    const sent = [reportOf(serial, FORK), reportOf(serial, FIRST)];
    await counted(async () => {
      for (const one of sent) await send(ada, one);
      await capture();
    });
    const { items } = await services.get(Executions).list({ limit: 2 });
    expect(items.map(({ toolCalls, failedCalls, copiedCalls }) => ({ toolCalls, failedCalls, copiedCalls }))).toEqual([
      { toolCalls: 3, failedCalls: 1, copiedCalls: 0 },
      { toolCalls: 1, failedCalls: 0, copiedCalls: 3 },
    ]);
    const { report: whole } = await services.get(Executions).show(items[1]?.id ?? '');
    expect(whole.toolCalls).toHaveLength(4);
  });

  it('count for each owner', async () => {
    serial += 1;
    const history = serial;
    const found = await counted(async () => {
      await send(ada, reportOf(history, FIRST));
      await send(ben, reportOf(history, FORK));
      await capture();
    });
    expect(found).toMatchObject({ executions: 2, failures: 2 });
  });

  it('make no execution of a session that holds nothing else', async () => {
    serial += 1;
    const history = serial;
    const found = await counted(async () => {
      for (const id of ['a', 'b', 'c']) {
        await send(ada, reportOf(history, { ...FIRST, id }));
        await capture();
      }
    });
    expect(found).toMatchObject({ executions: 1, failures: 1 });
  });
});

describe('a session that was connected', () => {
  it('is known when it is imported, under whatever name of an agent', async () => {
    serial += 1;
    await send(ada, reportOf(serial, FIRST));
    for (const agent of [ada, adaByFile])
      expect(await send(agent, reportOf(serial, FIRST))).toMatchObject({ duplicate: true });
    expect(await send(adaByFile, reportOf(serial, FIRST, 'claude-code-hooks'))).toMatchObject({ duplicate: true });
    expect(await send(ben, reportOf(serial, FIRST))).toMatchObject({ duplicate: false });
  });

  it('counts once if it has grown meanwhile', async () => {
    serial += 1;
    const history = serial;
    const found = await counted(async () => {
      await send(ada, reportOf(history, FORK, 'claude-code-hooks', 0, 2));
      await send(adaByFile, reportOf(history, FORK));
      await capture();
    });
    expect(found).toMatchObject({ executions: 1, failures: 1 });
    expect(found.calls).toHaveLength(4);
  });
});

/** A tree of sessions that go on from each other, each with calls of its own. */
const histories = fc
  .array(fc.record({ parent: fc.nat(), kept: fc.nat(), own: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 2,
    maxLength: 5,
  })
  .map((nodes) => {
    const sessions: Session[] = [];
    let next = 1;
    for (const [n, { parent, kept, own }] of nodes.entries()) {
      const past = sessions[parent % Math.max(1, sessions.length)]?.calls ?? [];
      const calls = [...past.slice(0, past.length === 0 ? 0 : 1 + (kept % past.length))];
      for (let call = 0; call < own; call += 1) calls.push(next++);
      sessions.push({ id: `s${n}`, calls });
    }
    return sessions;
  });
/** How a session is reported besides its transcript, and when. */
const roads = fc.array(
  fc.record({
    session: fc.nat(),
    road: fc.constantFrom('whole', 'beginning', 'by file', 'copy', 'hooks'),
    place: fc.nat(),
  }),
  { maxLength: 8 },
);

describe('a mixture of copies, forks, orders and roads', () => {
  it('counts as the sessions once', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        roads,
        fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
        async (sessions, more, order) => {
          serial += 2;
          const [once, mixed] = [serial - 1, serial];
          const plain = await counted(async () => {
            for (const session of sessions) await send(ada, reportOf(once, session));
            await capture();
          });
          const sent = sessions.map((session, n) => ({
            place: order[n] ?? 0,
            send: () => send(ada, reportOf(mixed, session)),
          }));
          for (const { session: n, road, place } of more) {
            const session = sessions[n % sessions.length] ?? FIRST;
            const half = Math.ceil(session.calls.length / 2);
            const reports = {
              whole: () => send(ada, reportOf(mixed, session)),
              beginning: () => send(ada, reportOf(mixed, session, 'claude-code', 0, half)),
              'by file': () => send(adaByFile, reportOf(mixed, session)),
              copy: () => send(ada, reportOf(mixed, { ...session, id: `z${place}` })),
              hooks: () => send(adaByFile, reportOf(mixed, session, 'claude-code-hooks')),
            };
            sent.push({ place, send: reports[road] });
          }
          const found = await counted(async () => {
            for (const [n, one] of sent.sort((a, b) => a.place - b.place).entries()) {
              await one.send();
              if (n % 3 === 1) await capture();
            }
            await capture();
          });
          expect(found).toEqual(plain);
        },
      ),
      { numRuns: 12 },
    );
  });
});
