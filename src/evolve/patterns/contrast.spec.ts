import { describe, expect, it } from '@jest/globals';
import type { ApproachKind } from '../../capture/observations/trial.js';
import { Counts } from '../evidence/counts.js';
import type { TrialCount } from '../evidence/pattern-evidence.js';
import { contrastOf, isClearlyBetter, isTransient } from './contrast.js';

function tried(how: ApproachKind, action: string, successes: number, tries: number, agents = 3): TrialCount {
  const names = Array.from({ length: agents }, (_, agent) => agent);
  const [coarse = action] = action.split(' [');
  return {
    how,
    coarse,
    fine: action,
    tries,
    successes,
    verified: 0,
    agents: Counts.of(names),
    successAgents: Counts.of(names.slice(0, successes)),
  };
}

describe('the contrast of alternatives', () => {
  it('chooses the alternative with the best lower bound, not the best rate', () => {
    const contrast = contrastOf('python', [
      tried('repeat', 'python', 0, 4),
      tried('replace', 'python3', 18, 20),
      tried('replace', 'pypy', 3, 3),
    ]);
    expect(contrast.chosen).toMatchObject({ action: 'python3', lift: 0.9, agents: 3 });
    expect(contrast.alternatives.map((a) => a.action)).toEqual(['python3', 'pypy']);
    expect(contrast.repeat).toMatchObject({ successes: 0, n: 4 });
  });

  it('needs three observations from two agents', () => {
    expect(contrastOf('python', [tried('replace', 'python3', 2, 2)]).chosen).toBeUndefined();
    expect(contrastOf('python', [tried('replace', 'python3', 5, 5, 1)]).chosen).toBeUndefined();
    expect(contrastOf('python', [tried('replace', 'python3', 3, 3, 2)]).chosen?.action).toBe('python3');
  });

  it('chooses no alternative whose lower bound does not exceed the rate of repeating', () => {
    const repeats = tried('repeat', 'pytest', 6, 10);
    expect(contrastOf('pytest', [repeats, tried('replace', 'tox', 7, 10)]).chosen).toBeUndefined();
    expect(contrastOf('pytest', [repeats, tried('replace', 'tox', 30, 30)]).chosen?.action).toBe('tox');
  });

  it('rejects a remedy that works in one of three tries', () => {
    const contrast = contrastOf('pip install', [tried('repeat', 'pip install', 0, 9), tried('replace', 'uv', 2, 6)]);
    expect(contrast.chosen).toBeUndefined();
  });

  it('counts variations of the failing action as repeats, unless only they make the difference', () => {
    const flags = [
      tried('repeat', 'pip install [word]', 0, 6),
      tried('replace', 'pip install [dir]', 6, 6),
      tried('replace', 'pip install [file:.txt]', 0, 4),
    ];
    const contrast = contrastOf('pip install', flags);
    expect(contrast.chosen).toMatchObject({ action: 'pip install [dir]', granularity: 'fine' });
    expect(contrast.repeat).toMatchObject({ successes: 0, n: 6 });
    const withOther = contrastOf('pip install', [...flags, tried('replace', 'uv pip install', 12, 12)]);
    expect(withOther.chosen).toMatchObject({ action: 'uv pip install', granularity: 'coarse' });
    expect(withOther.repeat).toMatchObject({ successes: 6, n: 16 });
  });

  it('has no chosen action for a failure that no agent overcame', () => {
    const contrast = contrastOf('make', [tried('repeat', 'make', 0, 5), tried('replace', 'ninja', 0, 5)]);
    expect(contrast.chosen).toBeUndefined();
    expect(contrast.alternatives).toHaveLength(1);
  });

  it('treats a transient failure neither as a lesson nor as a problem', () => {
    expect(isTransient(contrastOf('pytest', [tried('repeat', 'pytest', 4, 5)]))).toBe(true);
    expect(isTransient(contrastOf('pytest', [tried('repeat', 'pytest', 1, 5)]))).toBe(false);
    expect(isTransient(contrastOf('pytest', []))).toBe(false);
  });

  it('allows one lesson for several patterns only if the intervals are disjoint', () => {
    const few = contrastOf('python', [tried('repeat', 'python', 1, 10), tried('replace', 'python3', 3, 4)]);
    expect(few.chosen).toBeDefined();
    expect(isClearlyBetter(few)).toBe(false);
    const many = contrastOf('python', [tried('repeat', 'python', 1, 20), tried('replace', 'python3', 15, 20)]);
    expect(isClearlyBetter(many)).toBe(true);
  });

  it('does not depend on the order of the trials', () => {
    const all = [
      tried('replace', 'a', 3, 4),
      tried('replace', 'b', 3, 4),
      tried('omit', 'a', 3, 4),
      tried('repeat', 'x', 0, 3),
    ];
    expect(contrastOf('x', [...all].reverse())).toEqual(contrastOf('x', all));
  });

  it('chooses an added flag whatever its value, but no flag that only changes its value', () => {
    const repeats = tried('repeat', 'docker build', 0, 4);
    const tags = [1, 2, 3, 4].map((n) => {
      const one = tried('replace', `docker build [dir] -t=till:${n}`, 1, 1, 1);
      return { ...one, coarse: 'docker build', agents: Counts.of([n]), successAgents: Counts.of([n]) };
    });
    const added = tags.map((trial) => ({ ...trial, addsFlag: true as const }));
    expect(contrastOf('docker build', [repeats, ...added]).chosen).toMatchObject({
      ...{ granularity: 'flags', action: 'docker build [dir] -t' },
      outcome: { successes: 4, n: 4 },
    });
    expect(contrastOf('docker build', [repeats, ...tags]).chosen).toBeUndefined();
  });
});
