import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { HOSTILE_KINDS, hostileReport } from '../../../bench/hostile-reports.js';
import { trafficReport } from '../../../bench/report-traffic.js';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { ThreadPool } from '../../platform/background/thread-pool.js';
import { loadConfig } from '../../platform/config/config.js';
import { CONSTANTS, type Constants } from '../../platform/config/constants.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { hashReport } from '../report/report-identifiers.js';
import { sanitiseReport } from '../report/sanitised-report.js';
import { ReportSanitiser } from './report-sanitiser.service.js';

const WITHHELD = '[REDACTED:unscannable]';
const BYTES = 30_000;

/** A report of ordinary calls and secrets, too large for the event loop. */
function longReport(n: number): ExecutionReport {
  const calls = Array.from({ length: 8 }, (_, at) => trafficReport(3, 10 * n + at).toolCalls).flat();
  const secret = `gh${'p_'}${'aB3xY9'.repeat(6)}`;
  return { ...trafficReport(3, n), toolCalls: [...calls, { name: 'shell', action: `push with ${secret}`, ok: false }] };
}

describe('the sanitiser of reports', () => {
  const pools: ThreadPool[] = [];

  function open(constants: Partial<Constants> = {}): ReportSanitiser {
    const pool = new ThreadPool({ ...CONSTANTS, ...constants });
    pools.push(pool);
    return new ReportSanitiser(pool, loadConfig({}, constants));
  }

  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.onApplicationShutdown();
  });

  it('returns in a thread what it returns on the event loop', async () => {
    const sanitiser = open({ inlineCharacters: 0 });
    const reports = [
      ...[1, 2, 3].flatMap((n) => [trafficReport(1, 10 * n), longReport(n)]),
      ...HOSTILE_KINDS.map((kind) => hostileReport(kind, `a-${kind}`, BYTES)),
      { ...trafficReport(1, 1), executionId: '\u200b' },
    ];
    for (const report of reports)
      expect(await sanitiser.sanitise('ada', report)).toEqual(hashReport(sanitiseReport(report)));
  });

  it('withholds the texts of the calls that are left when the time is used up, and keeps everything else', async () => {
    const report = longReport(4);
    const found = await open({ inlineCharacters: 0, reportTimeBudgetMs: 0 }).sanitise('ada', report);
    if (!found.usable) throw new Error('not usable');
    expect(found.report.toolCalls).toEqual(
      report.toolCalls.map((call) => ({
        ...call,
        name: WITHHELD,
        action: WITHHELD,
        ...(call.errorCategory === undefined ? {} : { errorCategory: WITHHELD }),
        ...(call.errorMessage === undefined ? {} : { errorMessage: WITHHELD }),
      })),
    );
    expect({ ...found.report, toolCalls: [] }).toEqual({ ...report, toolCalls: [] });
    const texts = report.toolCalls.flatMap((call) => Object.values(call)).filter((value) => typeof value === 'string');
    expect(found.findings).toEqual([{ rule: 'time-budget', count: texts.length }]);
  });

  it('withholds the texts of all calls if its thread ends', async () => {
    // The report needs more memory than the thread has; without the texts of its calls it needs less.
    const found = await open({ threadHeapMiB: 40 }).sanitise('ada', hostileReport('keywords', 'large', 12_000_000));
    if (!found.usable) throw new Error('not usable');
    expect(new Set(found.report.toolCalls.map(({ action }) => action))).toEqual(new Set([WITHHELD]));
  });
});

describe('a report whose time is used up', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication({}, false, { reportTimeBudgetMs: 0 });
  });
  afterAll(() => app.close());

  it('is stored, the sender learns how many texts were withheld, and the same report again is a duplicate', async () => {
    const { client } = await app.agent('Ada');
    const report = longReport(5);
    const first = await client.executions.report(report);
    expect(first).toMatchObject({ duplicate: false, executionId: report.executionId });
    expect(first.withheld).toBeGreaterThan(report.toolCalls.length);
    const batch = await client.executions.reportAll([report, longReport(6)]);
    expect(batch.lines).toMatchObject([
      { outcome: 'duplicate', withheld: first.withheld },
      { outcome: 'new', withheld: expect.any(Number) },
    ]);
    await app.settled();
    const { report: stored } = await app.admin.executions.show(first.id);
    expect(stored.toolCalls.every(({ action }) => action === WITHHELD)).toBe(true);
    expect(stored.taskTitle).toBe(report.taskTitle);
  });

  it('is a duplicate also of the same report that was stored whole', async () => {
    const { client } = await app.agent('Bo');
    const small = trafficReport(1, 7);
    const { id } = await client.executions.report({ ...small, toolCalls: [] });
    expect(await client.executions.report({ ...longReport(7), executionId: small.executionId })).toMatchObject({
      id,
      duplicate: true,
    });
  });
});
