import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';

// Scripts have no types; the functions used are declared here.
const script = (name: string) => import(new URL(`../../scripts/test/${name}`, import.meta.url).href);
const { formatTimeLeft, timeLeft } = await script('progress-reporter.mjs');
const { EXCEPTIONS, MAX_SECONDS, reportBudget } = await script('budget.mjs');
const { makeQuickFolder, quickPlace } = await script('quick-folder.mjs');
const { readSpent, secondsOf } = await script('spent.mjs');
const { formatTime, processorTime, runTimed } = await script('timed.mjs');
const { default: Environment } = await script('jest/environment.mjs');
const { default: Order } = await script('jest/order.mjs');

const SECOND = 1_000;
const MINUTE = 60_000;
/** A program that uses the processor for 50 milliseconds. */
const BUSY = 'const end = process.cpuUsage().user + 50000; while (process.cpuUsage().user < end);process.exit(3)';

describe('a run of the specs', () => {
  it('shows the remaining time at the current pace', () => {
    const none = { took: 0, expected: 0 };
    expect(timeLeft({ finished: none, running: [], waiting: 20 * MINUTE, workers: 2 })).toBe(10 * MINUTE);
    // The first minute of expected work counts as right: with two minutes done in six, the pace is 7 to 3.
    const finished = { took: 6 * MINUTE, expected: 2 * MINUTE };
    expect(timeLeft({ finished, running: [], waiting: 18 * MINUTE, workers: 2 })).toBeCloseTo(21 * MINUTE);
    expect(timeLeft({ finished, running: [], waiting: 0, workers: 2 })).toBe(0);
    expect(formatTimeLeft(16 * MINUTE)).toBe('about 16 minutes left');
    expect(formatTimeLeft(MINUTE)).toBe('about 1 minute left');
    expect(formatTimeLeft(20 * SECOND)).toBe('less than a minute left');
  });

  it('counts files that run longer than expected before the first one ends', () => {
    const left = (running: { took: number; expected: number }[]) =>
      timeLeft({ finished: { took: 0, expected: 0 }, running, waiting: 20 * MINUTE, workers: 2 });
    const asExpected = { took: 10 * SECOND, expected: 15 * SECOND };
    expect(left([asExpected, asExpected])).toBe(10 * MINUTE + 5 * SECOND);
    // Two files of 15 seconds run for three minutes: with the trusted minute, the pace is 7 minutes to 1.5.
    const late = { took: 3 * MINUTE, expected: 15 * SECOND };
    expect(left([late, late])).toBeCloseTo((10 * MINUTE * 7) / 1.5);
    // The end waits for the longest file, also when the other worker is idle.
    const long = { took: 0, expected: 4 * MINUTE };
    expect(timeLeft({ finished: { took: 0, expected: 0 }, running: [long], waiting: 0, workers: 2 })).toBe(4 * MINUTE);
  });

  it('shows its slowest files, reports those above 10 CPU-seconds and fails above 20', () => {
    const spent = (name: string, cpu: number) => {
      return { file: `test/${name}.spec.ts`, database: 'postgresql', cpu, wall: cpu / 2, loading: 1 };
    };
    const quick = Array.from({ length: 20 }, (_, index) => spent(`q${index}`, index / 10));
    const files = [...quick, spent('slow', 10.1), spent('heavy', 20.1), spent('known', 25), spent('worse', 31)];
    const reason = 'builds the program twice';
    const exceptions = Object.fromEntries(
      ['known', 'worse'].map((name) => [`test/${name}.spec.ts`, { seconds: 30, reason }]),
    );
    const { lines, noted, over } = reportBudget(files, exceptions);
    expect(lines).toHaveLength(12);
    expect(lines[0]).toBe('The slowest of 24 spec files (CPU, wall):');
    expect(lines[1]).toBe('  31.0 s   15.5 s  test/worse.spec.ts (postgresql)');
    expect(lines[11]).toBe('105 CPU-seconds in specs, and 24 to load modules');
    expect(noted).toEqual([
      'test/known.spec.ts (postgresql): 25.0 CPU-seconds, more than 10, fails above 30: builds the program twice',
      'test/slow.spec.ts (postgresql): 10.1 CPU-seconds, more than 10, fails above 20',
    ]);
    expect(over.map(({ text }: { text: string }) => text)).toEqual([
      'test/worse.spec.ts (postgresql): 31.0 CPU-seconds, more than 30 (scripts/test/budget.mjs): builds the program twice',
      'test/heavy.spec.ts (postgresql): 20.1 CPU-seconds, more than 20 (scripts/test/budget.mjs)',
    ]);
  });

  it('allows a slower machine more CPU-seconds', () => {
    const spent = (name: string, cpu: number) => {
      return { file: `${name}.spec.ts`, database: 'postgresql', cpu, wall: cpu, loading: 1, pace: 0.05 };
    };
    const { lines, noted, over } = reportBudget([spent('a', 41), spent('b', 39), spent('c', 19)], {});
    const embedded = [{ ...spent('a', 59), database: 'embedded' }];
    expect(reportBudget(embedded, {}).over).toEqual([]);
    expect(lines.at(-1)).toBe('This machine needs 2.0 times the CPU-seconds of the reference; limits follow.');
    expect(noted).toEqual(['b.spec.ts (postgresql): 39.0 CPU-seconds, more than 20, fails above 40']);
    const text = 'a.spec.ts (postgresql): 41.0 CPU-seconds, more than 40 (scripts/test/budget.mjs)';
    expect(over).toEqual([{ file: 'a.spec.ts', database: 'postgresql', isOver: true, text }]);
  });

  it('excepts only spec files that exist, each with its reason', () => {
    const wrong = Object.entries<{ seconds: number; reason: string }>(EXCEPTIONS).filter(
      ([file, { seconds, reason }]) => !existsSync(join(PROJECT_ROOT, file)) || seconds <= MAX_SECONDS || !reason,
    );
    expect(wrong).toEqual([]);
  });

  it('counts the processor time of a spec and of the processes that it awaited', async () => {
    const fields = Array.from({ length: 50 }, (_, index) => String(index + 3));
    // The program's name may look like the end of itself. Fields 14 to 17 are the times.
    expect(secondsOf(`4711 (node) x) ${fields.join(' ')}`)).toBe((14 + 15 + 16 + 17) / 100);
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-spent-'));
    const spentFile = join(folder, 'spent.jsonl');
    const kept = process.env['GUILDBOOK_TEST_SPENT'];
    process.env['GUILDBOOK_TEST_SPENT'] = spentFile;
    try {
      const testPath = join(PROJECT_ROOT, 'test/a.spec.ts');
      const environment = new Environment({ projectConfig: { fakeTimers: {} } }, { testPath });
      await environment.setup();
      spawnSync(process.execPath, ['-e', BUSY]);
      await environment.teardown();
    } finally {
      if (kept === undefined) delete process.env['GUILDBOOK_TEST_SPENT'];
      else process.env['GUILDBOOK_TEST_SPENT'] = kept;
    }
    const [spent] = readSpent(spentFile);
    rmSync(folder, { recursive: true });
    expect(spent).toMatchObject({ file: 'test/a.spec.ts', loading: 0 });
    expect(spent.pace).toBeGreaterThanOrEqual(0);
    expect(spent.wall).toBeGreaterThan(0);
    // Only Linux counts child processes.
    expect(spent.cpu).toBeGreaterThanOrEqual(process.platform === 'linux' ? 0.05 : 0);
  });

  it('shows the elapsed and the processor time', () => {
    expect(processorTime('0m0.001s 0m0.002s\n1m2.500s 0m0.250s\n')).toBe(62_750);
    expect(formatTime({ wall: 252 * SECOND, processor: 423 * SECOND })).toBe('4 min 12 s (processors: 7 min 3 s)');
    expect(formatTime({ wall: 2_340, processor: undefined })).toBe('2.3 s');
    const { status, processor } = runTimed(['-e', BUSY], {});
    expect(status).toBe(3);
    expect(processor).toBeGreaterThanOrEqual(50);
  });

  it('starts with the specs that took longest or are largest, after those that only start processes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-order-'));
    const made = (name: string, source: string) => {
      writeFileSync(join(folder, name), source);
      return join(folder, name);
    };
    const [a, b, small, large] = [
      made('a', ''),
      made('b', 'execFile; startServices'),
      made('c', ''),
      made('d', 'd'.repeat(99)),
    ];
    const git = made('e', "execFile('git')");
    const order = new Order({});
    const known: Record<string, number> = { [a]: 20_000, [b]: 90_000, [git]: 1_000 };
    order.time = ({ path }: { path: string }) => known[path];
    order.hasFailed = () => false;
    const sorted = order.sort([a, b, small, large, git].map((path) => ({ path })));
    rmSync(folder, { recursive: true });
    expect(sorted.map(({ path }: { path: string }) => path)).toEqual([git, b, a, large, small]);
  });

  it('keeps its temporary files in shared memory, if there is room and TMPDIR names no other place', () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-shared-'));
    // A disk with room stands for shared memory.
    expect(quickPlace({}, folder, 1)).toBe(folder);
    expect(readdirSync(folder)).toEqual([]);
    expect(quickPlace({}, folder, Number.MAX_SAFE_INTEGER)).toBe(tmpdir());
    expect(quickPlace({ TMPDIR: '/elsewhere' }, folder, 1)).toBe(tmpdir());
    expect(quickPlace({}, join(folder, 'missing'), 1)).toBe(tmpdir());
    rmSync(folder, { recursive: true });
  });

  it('removes what killed runs left, and nothing of a running one', () => {
    const place = mkdtempSync(join(tmpdir(), 'guildbook-place-'));
    const { pid: ended } = spawnSync(process.execPath, ['-e', '']);
    const left = (pid: number, changed: Date) => {
      const name = `gb-run-${pid}-x`;
      mkdirSync(join(place, name, 'inside'), { recursive: true });
      utimesSync(join(place, name), changed, changed);
      return name;
    };
    const twoHoursAgo = new Date(Date.now() - 120 * MINUTE);
    left(ended, twoHoursAgo);
    const own = left(process.pid, twoHoursAgo);
    const other = join(place, 'gb-run-notes');
    writeFileSync(other, '');
    const made = makeQuickFolder(place);
    expect(readdirSync(place).sort()).toEqual([basename(made), basename(other), own].sort());
    rmSync(place, { recursive: true });
  });

  it('restores the process state before each spec', async () => {
    const environment = new Environment({ projectConfig: { fakeTimers: {} } });
    await environment.setup();
    const before = { directory: process.cwd(), path: process.env['PATH'], timeout: setTimeout };
    process.env['PATH'] = 'elsewhere';
    process.env['LEFT_BY_A_SPEC'] = 'yes';
    process.exitCode = 1;
    process.chdir(tmpdir());
    environment.fakeTimersModern.useFakeTimers();
    await environment.teardown();
    expect(process.env).not.toHaveProperty('LEFT_BY_A_SPEC');
    expect(process.exitCode).toBeUndefined();
    expect({ directory: process.cwd(), path: process.env['PATH'], timeout: setTimeout }).toEqual(before);
  });
});
