import { describe, expect, it } from '@jest/globals';
import { USAGE_SETTINGS, UsageSamples } from './usage-samples.js';

const numbers = Array.from({ length: 2_000 }, (_, at) => at);
const id = (n: number): string => `execution-${n}`;

function samples(of: readonly number[], settings = {}): UsageSamples {
  const usage = new UsageSamples({ ...USAGE_SETTINGS, ...settings });
  for (const n of of) usage.add(n, id(n), n % 100 === 0 ? ['often', 'rarely'] : ['often']);
  return usage;
}

describe('samples of the executions that used an action', () => {
  it('count all executions and keep a bounded part of them', () => {
    const usage = samples(numbers);
    expect([usage.count('often'), usage.count('rarely'), usage.count('never')]).toEqual([2_000, 20, 0]);
    expect(usage.sampleOf(['rarely'])).toHaveLength(20);
    const often = usage.sampleOf(['often']).length;
    expect(often).toBeGreaterThan(80);
    expect(often).toBeLessThanOrEqual(USAGE_SETTINGS.read);
  });

  it('are the same for any order of arrival', () => {
    const backwards = samples([...numbers].reverse());
    expect(backwards.sampleOf(['often', 'rarely'])).toEqual(samples(numbers).sampleOf(['often', 'rarely']));
  });

  it('lose executions that leave', () => {
    const usage = samples(numbers);
    const [first = -1] = usage.sampleOf(['often']);
    usage.remove(first, ['often']);
    expect(usage.sampleOf(['often'])).not.toContain(first);
    expect(usage.count('often')).toBe(1_999);
    for (const n of numbers) if (n !== first) usage.remove(n, ['often', 'rarely']);
    expect([usage.count('often'), usage.sampleOf(['often', 'rarely'])]).toEqual([0, []]);
  });

  it('go on as before from what was saved of them', () => {
    const settings = { inAll: 300 };
    const usage = samples(numbers.slice(0, 1_500), settings);
    const loaded = new UsageSamples({ ...USAGE_SETTINGS, ...settings });
    for (const n of numbers.slice(0, 1_500)) loaded.restoreExecution(n, id(n));
    for (const record of usage.records({ execution: (n) => n, agent: (n) => n }))
      if (record.of === 'usage') loaded.restore(record);
      else if (record.of === 'usage limit') loaded.restoreLimit(record);
    for (const one of [usage, loaded]) {
      for (const n of numbers.slice(1_500)) one.add(n, id(n), ['often', n % 2 === 0 ? 'even' : 'odd']);
      for (const n of numbers.slice(0, 400)) one.remove(n, ['often']);
    }
    for (const key of ['often', 'rarely', 'even', 'odd'])
      expect([loaded.count(key), loaded.sampleOf([key])]).toEqual([usage.count(key), usage.sampleOf([key])]);
    expect(loaded.count('often')).toBe(1_600);
  });

  it('stay bounded for any number of actions', () => {
    const usage = new UsageSamples({ ...USAGE_SETTINGS, keys: 50, inAll: 500 });
    for (const n of numbers)
      usage.add(n, id(n), ['all', ...Array.from({ length: 20 }, (_, at) => `key ${at}`), `own ${n}`]);
    expect(usage.count('own 0')).toBe(0);
    expect(usage.count('all')).toBe(2_000);
    expect(usage.sampleOf(['all', ...Array.from({ length: 20 }, (_, at) => `key ${at}`)]).length).toBeLessThan(500);
  });
});
