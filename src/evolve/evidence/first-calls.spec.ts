import { describe, expect, it } from '@jest/globals';
import { failed, recordedRun, type ShortCall, worked } from '../../../test/support/recorded-calls.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { firstCalls } from './first-calls.js';
import type { Tried } from './tried.js';

function tried(predicate: Predicate, kind: 'start' | 'form', calls: ShortCall[]): Tried | undefined {
  const run = recordedRun('e', calls);
  const arms = firstCalls(predicate, [run]).find((one) => one?.kind === kind);
  return arms?.over(run)?.(Uint32Array.from(run.calls.keys()));
}

describe('an earlier step before an action', () => {
  const step = (follow: Predicate['follow']): Predicate => ({
    when: { error: 'no table' },
    ...(follow ? { follow } : {}),
    attempt: { sameAction: true },
  });
  const calls = [failed('select a', 'no table'), worked('show'), worked('select b')];

  it('is compared if it only looks something up', () => {
    expect(tried(step({ action: 'sql show tables' }), 'start', calls)).toEqual({ without: false });
    expect(tried(step({ action: 'show' }), 'start', calls)).toEqual({ with: true, without: false });
    expect(tried(step({ tool: 'get_schema' }), 'start', calls)).toEqual({ without: false });
  });

  it('is not compared if it changes something, since any frequent step comes before more successes', () => {
    for (const follow of [{ action: 'pip install' }, { action: 'git add' }, { tool: 'calculate' }])
      expect(tried(step(follow), 'start', calls)).toBeUndefined();
    expect(tried(step([{ action: 'show' }, { action: 'mkdir' }]), 'start', calls)).toBeUndefined();
  });
});

describe('the first calls of two forms of one action', () => {
  const when = { args: 'old', error: 'boom' };

  it('are of the goals that failed, because a call for something else works for reasons of its own', () => {
    const predicate: Predicate = {
      when,
      follow: { sameAction: true, args: 'new' },
      against: { sameAction: true, args: 'old' },
    };
    const calls = [worked('other new'), failed('run old'), failed('run new', 'another error')];
    expect(tried(predicate, 'form', calls)).toEqual({ with: false, without: false });
  });

  it('are of any goal if the lesson is another action', () => {
    const predicate: Predicate = { when, follow: { args: 'new' }, against: { args: 'old' } };
    expect(tried(predicate, 'form', [worked('other new'), failed('run old')])).toEqual({ with: true, without: false });
  });
});
