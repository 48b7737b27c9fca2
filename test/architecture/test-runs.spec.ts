import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';

// Scripts have no types; the functions used are declared here.
const script = (name: string) => import(new URL(`../../scripts/test/${name}`, import.meta.url).href);
const { inWords, timeLeft } = await script('progress-reporter.mjs');
const { inWords: timeInWords, processorTime, runTimed } = await script('timed.mjs');
const { default: Environment } = await script('jest/environment.mjs');
const { default: Order } = await script('jest/order.mjs');

const SECOND = 1_000;
const MINUTE = 60_000;

describe('a run of the specs', () => {
  it('shows the remaining time at the current pace', () => {
    expect(timeLeft({ elapsed: 0, work: 10 * MINUTE, done: 0 })).toBe(10 * MINUTE);
    expect(timeLeft({ elapsed: MINUTE, work: 10 * MINUTE, done: 0 })).toBe(10 * MINUTE);
    expect(timeLeft({ elapsed: 4 * MINUTE, work: 10 * MINUTE, done: 2 * MINUTE })).toBe(16 * MINUTE);
    expect(timeLeft({ elapsed: 4 * MINUTE, work: MINUTE, done: 2 * MINUTE })).toBe(0);
    expect(inWords(16 * MINUTE)).toBe('about 16 minutes left');
    expect(inWords(MINUTE)).toBe('about 1 minute left');
    expect(inWords(20 * SECOND)).toBe('less than a minute left');
  });

  it('shows the elapsed and the processor time', () => {
    expect(processorTime('0m0.001s 0m0.002s\n1m2.500s 0m0.250s\n')).toBe(62_750);
    expect(timeInWords({ wall: 252 * SECOND, processor: 423 * SECOND })).toBe('4 min 12 s (processors: 7 min 3 s)');
    expect(timeInWords({ wall: 2_340, processor: undefined })).toBe('2.3 s');
    const busy = 'const end = process.cpuUsage().user + 50000; while (process.cpuUsage().user < end);process.exit(3)';
    const { status, processor } = runTimed(['-e', busy], {});
    expect(status).toBe(3);
    expect(processor).toBeGreaterThanOrEqual(50);
  });

  it('starts with the specs that took longest or are largest', () => {
    const order = new Order({});
    const known: Record<string, number> = { 'a.spec.ts': 20_000, 'b.spec.ts': 90_000 };
    order.time = ({ path }: { path: string }) => known[path];
    order.hasFailed = () => false;
    const here = new URL(import.meta.url).pathname;
    const sorted = order.sort([...Object.keys(known), here].map((path) => ({ path })));
    expect(sorted.map(({ path }: { path: string }) => path)).toEqual(['b.spec.ts', 'a.spec.ts', here]);
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
