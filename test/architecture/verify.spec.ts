import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';

// Scripts have no types; the functions used are declared here.
const script = (name: string) => import(new URL(`../../scripts/verify/${name}`, import.meta.url).href);
const { commandOf, formatTotal, planSteps, resumeCommand } = await script('plan.mjs');
const { STEPS } = await script('steps.mjs');

const Steps = z.array(z.object({ name: z.string(), run: z.string() }));
const SCRIPTS = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8'))).scripts;

const A = { name: 'a', run: 'test:a' };
const B = { name: 'b', run: 'bench:b --seeds 0', data: true };
const C = { name: 'c', run: 'test:c', postgresql: true };

describe('npm run verify', () => {
  it('runs all steps, those from one on, or those that are named, in their order', () => {
    const names = (options: object) => planSteps([A, B, C], options).steps.map(({ name }: { name: string }) => name);
    expect(names({ data: 'd' })).toEqual(['a', 'b', 'c']);
    expect(names({ data: 'd', from: 'b' })).toEqual(['b', 'c']);
    expect(names({ only: ['c', 'a'] })).toEqual(['a', 'c']);
    expect(names({ only: ['c', 'a'], from: 'b' })).toEqual(['c']);
    expect(() => names({ from: 'x' })).toThrow('There is no step x');
    expect(() => names({ only: ['a', 'x'] })).toThrow('There is no step x');
  });

  it('says which steps it leaves out without data, and refuses one that was named', () => {
    expect(planSteps([A, B, C], {})).toEqual({ steps: [A, C], leftOut: ['b'] });
    expect(() => planSteps([A, B, C], { only: ['b'] })).toThrow('b: needs --data <folder>.');
  });

  it('gives a step its arguments, and its folder of data', () => {
    expect(commandOf(A, 'sets')).toEqual(['run', '--silent', 'test:a']);
    expect(commandOf(B, 'sets')).toEqual(['run', '--silent', 'bench:b', '--', '--seeds', '0', '--data', 'sets']);
  });

  it('prints a total, and the command that continues at the step that failed', () => {
    expect(formatTotal({ passed: ['a'], failed: 'c', leftOut: ['b'], seconds: 725.2 })).toBe(
      '1 passed, 1 failed (c), 1 left out without --data (b), 12 min 5 s',
    );
    expect(formatTotal({ passed: ['a', 'b', 'c'], failed: undefined, leftOut: [], seconds: 9 })).toBe(
      '3 passed, 9.0 s',
    );
    expect(resumeCommand('c', {})).toBe('npm run verify -- --from c');
    expect(resumeCommand('c', { only: ['a', 'c'], data: 'sets' })).toBe(
      'npm run verify -- --from c --only a c --data sets',
    );
  });

  it('runs each benchmark as its help names the smallest run, and only scripts that exist', () => {
    const steps = Steps.parse(STEPS);
    for (const [script = '', ...args] of steps.map(({ run }) => run.split(' '))) {
      const source = /\bbench\/[\w-]+\.ts$/.exec(SCRIPTS[script] ?? '')?.[0];
      if (source === undefined) continue;
      const help = readFileSync(join(PROJECT_ROOT, source), 'utf8');
      expect({ source, smallest: /^Smallest run: (.*)`/m.exec(help)?.[1] }).toEqual({
        source,
        smallest: args.join(' '),
      });
    }
    const used = steps.map(({ run }) => run.split(' ')[0] ?? '');
    expect(used.filter((name) => !(name in SCRIPTS))).toEqual([]);
    expect(Object.keys(SCRIPTS).filter((name) => name.startsWith('bench:') && !used.includes(name))).toEqual([]);
    expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
  });
});
