import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { report, run } from '../../../test/support/reports.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/base/durations.js';
import { CaptureWorker } from '../analysis/capture-worker.service.js';
import { CaptureModule } from '../capture.module.js';
import { Executions } from '../intake/executions.service.js';
import { countedCalls } from '../report/call-lineage.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
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

const send = (agent: Reporter, sent: ExecutionReport) => services.get(Executions).report(agent, sent);

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
    calls.push(...countedCalls(stored.toolCalls).map(({ action }) => action));
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

  it('count in the first where a process of the version before captured it, which writes no counts', async () => {
    serial += 1;
    const history = serial;
    const found = await counted(async () => {
      const { id } = await send(ada, reportOf(history, FIRST));
      await capture();
      const { client } = services.database;
      expect(await client.$executeRaw`UPDATE "execution" SET "counted_keys" = NULL WHERE "id" = ${id}::uuid`).toBe(1);
      await send(ada, reportOf(history, FORK));
      await capture();
    });
    expect(found).toMatchObject({ executions: 2, failures: 1 });
    expect(found.calls).toHaveLength(4);
  });

  it('count in the other where the report of the first is damaged and never captured', async () => {
    serial += 1;
    const history = serial;
    const found = await counted(async () => {
      const { id } = await send(ada, reportOf(history, FIRST));
      const { client } = services.database;
      expect(await client.$executeRaw`UPDATE "execution" SET "report" = '{}' WHERE "id" = ${id}::uuid`).toBe(1);
      await send(ada, reportOf(history, FORK));
      await capture();
      await client.$executeRaw`DELETE FROM "execution" WHERE "id" = ${id}::uuid`;
    });
    expect(found).toMatchObject({ executions: 1, failures: 1 });
    expect(found.calls).toHaveLength(4);
  });

  it('are shown apart from those that count in it, and its failure counts where a later call got past it', async () => {
    serial += 1;
    const sent = [reportOf(serial, FORK), reportOf(serial, FIRST)];
    await counted(async () => {
      for (const one of sent) await send(ada, one);
      await capture();
    });
    const { items } = await services.get(Executions).list({ limit: 2 });
    expect(items.map(({ toolCalls, failedCalls, copiedCalls }) => ({ toolCalls, failedCalls, copiedCalls }))).toEqual([
      { toolCalls: 2, failedCalls: 0, copiedCalls: 1 },
      { toolCalls: 2, failedCalls: 1, copiedCalls: 2 },
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

/** Of each call of a history: its command, and the error of one that failed. */
const TESTS_FAIL = ['pytest tests', 'Error: relation "orders" is missing'] as const;
const LIST = ['ls'] as const;
const SEED = ['make seed'] as const;
const TESTS = ['pytest tests'] as const;

type Calls = readonly (readonly [command: string, error?: string])[];

/** A session that consists of these calls; those of its parent have the same keys. Its calls are a minute apart. */
function sessionOf(
  history: number,
  id: string,
  calls: Calls,
  parent: Calls = [],
  change: Partial<ExecutionReport> = {},
) {
  const at = (n: number): string => new Date(START + n * MINUTE_MS).toISOString();
  const all = [...parent, ...calls];
  return report({
    executionId: `claude-code:${history}-${id}:${all.length}`,
    sessionId: `${history}-${id}`,
    startedAt: at(0),
    finishedAt: at(all.length),
    toolCalls: all.map(([command, error]) => run(command, error)),
    callKeys: all.map((call, n) =>
      sha256(JSON.stringify([history, n < parent.length ? 'parent' : id, n, call])).slice(0, 32),
    ),
    ...change,
  });
}

/** What counts of the reports, which their order must not change: failures, those that a remedy overcame, and private lessons. */
async function learned(sent: readonly ExecutionReport[], isOneByOne: boolean) {
  services.clock.advance(DAY_MS);
  const from = services.clock.now();
  for (const one of sent) {
    await send(ada, one);
    if (isOneByOne) await capture();
  }
  await capture();
  services.clock.advance(MINUTE_MS);
  let [executions, failures, overcome] = [0, 0, 0];
  for await (const { observed } of services.get(ExecutionReader).read(from, services.clock.now())) {
    executions += 1;
    for (const episode of observed.episodes) {
      failures += episode.failures;
      overcome += episode.trials.filter(({ worked }) => worked).length;
    }
  }
  const lessons = await services.database.client.analysisPayload.count({ where: { createdAt: { gte: from } } });
  return { executions, failures, overcome, lessons };
}

/** The reports in each order, captured at once or one by one. */
const orders = (sent: readonly ExecutionReport[]) =>
  sent.flatMap((first) => {
    const others = sent.filter((one) => one !== first);
    return [others, others.toReversed()].flatMap((rest) =>
      [true, false].map((one) => [[first, ...rest], one] as const),
    );
  });

describe('a failure whose remedy stands only in a session that goes on from it', () => {
  it('counts and is taught once, with its remedy, in every order', async () => {
    for (let n = 0; n < 4; n += 1) {
      serial += 1;
      const first = sessionOf(serial, 'parent', [LIST, TESTS_FAIL]);
      const resumed = sessionOf(serial, 'resumed', [SEED, TESTS], [LIST, TESTS_FAIL]);
      const [sent, isOneByOne] = orders([first, resumed])[n] ?? [[], true];
      expect(await learned(sent, isOneByOne)).toEqual({ executions: 2, failures: 1, overcome: 1, lessons: 1 });
    }
  });

  it('counts once where two forks overcome it, or one of them does', async () => {
    for (const n of [0, 3, 5, 6, 8, 11]) {
      serial += 1;
      const sent = [
        sessionOf(serial, 'parent', [LIST, TESTS_FAIL]),
        sessionOf(serial, 'a', [SEED, TESTS], [LIST, TESTS_FAIL]),
        sessionOf(serial, 'b', n % 4 < 2 ? [LIST, SEED, TESTS] : [LIST, LIST, LIST], [LIST, TESTS_FAIL]),
      ];
      const [order, isOneByOne] = orders(sent)[n] ?? [[], true];
      expect(await learned(order, isOneByOne)).toEqual({ executions: 3, failures: 1, overcome: 1, lessons: 1 });
    }
  });

  it('is that of the first session again where an earlier state of it was known', async () => {
    serial += 1;
    const sent = [
      sessionOf(serial, 'parent', [LIST, TESTS_FAIL]),
      sessionOf(serial, 'a', [LIST, SEED, TESTS], [LIST, TESTS_FAIL]),
      sessionOf(serial, 'parent', [LIST, TESTS_FAIL, SEED, TESTS]),
    ];
    expect(await learned(sent, true)).toMatchObject({ executions: 2, failures: 1, overcome: 1 });
  });
});

describe('a session that grows while its clock is wrong', () => {
  it.each(['2099', '1970'])('is one execution in each of its states, in every order: %s', async (year) => {
    for (let n = 0; n < 12; n += 3) {
      serial += 1;
      const state = (calls: Calls, finished: string): ExecutionReport => ({
        ...sessionOf(serial, 'growing', calls),
        startedAt: `${year}-01-01T00:00:00Z`,
        finishedAt: `${year}-01-01T00:0${finished}:00Z`,
      });
      const sent = [
        state([LIST, TESTS_FAIL], '1'),
        state([LIST, TESTS_FAIL, SEED], '2'),
        state([LIST, TESTS_FAIL, SEED, TESTS], '3'),
      ];
      const [order, isOneByOne] = orders(sent)[n] ?? [[], true];
      expect(await learned(order, isOneByOne)).toMatchObject({ executions: 1, failures: 1, overcome: 1 });
    }
  });
});

describe('a session with three records of which each says more than another in some way', () => {
  it('is one execution in every order: the record with the most calls', async () => {
    for (let n = 0; n < 6; n += 1) {
      serial += 1;
      const history = serial;
      const of = (format: string, calls: number, from: number, to: number): ExecutionReport => ({
        ...reportOf(history, { id: 'one', calls: Array.from({ length: calls }, (_, at) => at + 1) }, format),
        executionId: `${format}:${history}-one:${calls}`,
        startedAt: new Date(START + from * MINUTE_MS).toISOString(),
        finishedAt: new Date(START + to * MINUTE_MS).toISOString(),
      });
      const sent = [of('claude-code', 10, 0, 10), of('claude-code-hooks', 9, 2, 15), of('claude-code', 8, 0, 20)];
      const found = await counted(async () => {
        for (const one of orders(sent)[n * 2]?.[0] ?? []) await send(ada, one);
        await capture();
      });
      expect(found.executions).toBe(1);
      expect(found.calls).toHaveLength(10);
    }
  });
});

describe('a session that is resumed again and again', () => {
  it('costs each time what it holds, because no call counts in two', async () => {
    services.clock.advance(DAY_MS);
    const from = services.clock.now();
    serial += 1;
    const history: Calls = Array.from({ length: 20 }, (_, n) => [`step-${n}`]);
    const resumes = Array.from({ length: 30 }, (_, n) =>
      sessionOf(serial, `r${n}`, [[`own-${n}`]], history, { finishedAt: new Date(START + n * HOUR_MS).toISOString() }),
    );
    for (const one of resumes) await send(ada, one);
    await capture();
    const rows = await services.database.client.execution.findMany({
      where: { receivedAt: { gte: from } },
      select: { countedKeys: true },
    });
    expect(rows.map(({ countedKeys }) => countedKeys.length).sort((a, b) => b - a)).toEqual([
      21,
      ...Array.from({ length: 29 }, () => 1),
    ]);
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
      { numRuns: 6 },
    );
  });
});
