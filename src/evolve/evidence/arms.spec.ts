import { describe, expect, it } from '@jest/globals';
import { failed, recordedRun, type ShortCall, unknown, worked } from '../../../test/support/recorded-calls.js';
import type { ArmKind } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { armsOf } from './arms.js';
import type { RecordedExecution } from './recorded-execution.js';
import type { Tried } from './tried.js';

function triedIn(predicate: Predicate, kind: ArmKind, execution: RecordedExecution): Tried | undefined {
  const arms = armsOf(predicate, [execution]).find((one) => one.kind === kind);
  return arms?.over(execution)?.(Uint32Array.from(execution.calls.keys()));
}

const useNew: Predicate = {
  when: { action: 'old', error: 'boom' },
  follow: { action: 'new' },
  against: { action: 'old' },
};

describe('the tries after a failure', () => {
  const tries = (calls: ShortCall[], predicate = useNew) => triedIn(predicate, 'after', recordedRun('e', calls));

  it('are the first that follows, and the first before it that does not', () => {
    expect(tries([failed('old'), failed('old'), worked('old again'), worked('new')])).toEqual({
      with: true,
      without: false,
    });
    expect(tries([worked('new'), failed('old'), failed('new', 'other'), worked('new')])).toEqual({ with: false });
    expect(tries([failed('old'), worked('ls')])).toEqual({});
  });

  it('end with the window, and need the failure', () => {
    const calls = [failed('old'), worked('ls'), worked('ls'), worked('new')];
    expect(tries(calls, { ...useNew, within: 2 })).toEqual({});
    expect(tries(calls, { ...useNew, within: 3 })).toEqual({ with: true });
    expect(tries([failed('old', 'another error'), worked('new')])).toBeUndefined();
  });

  it('of an unknown result count on no side; the next one does', () => {
    expect(tries([failed('old'), unknown('new'), failed('new', 'other')])).toEqual({ with: false });
    expect(tries([failed('old'), unknown('old'), worked('old'), unknown('new')])).toEqual({ without: true });
  });

  it('that show the failure again did not work, even if the call did', () => {
    const predicate: Predicate = { when: { args: 'bad' }, follow: { action: 'new' } };
    expect(tries([failed('old bad'), worked('new bad')], predicate)).toEqual({ with: false });
  });

  it('without `against` are of the same action', () => {
    const predicate: Predicate = { when: { error: 'boom' }, follow: { args: '--fixed' } };
    expect(tries([failed('run x'), worked('ls'), failed('run y'), worked('run x --fixed')], predicate)).toEqual({
      with: true,
      without: false,
    });
  });

  it('with `attempt` are its tries after the step, and before it', () => {
    const look: Predicate = { when: { error: 'no table' }, follow: { action: 'show' }, attempt: { action: 'select' } };
    const calls = [failed('select a', 'no table'), failed('select b', 'no table'), worked('show'), worked('select c')];
    expect(tries(calls, look)).toEqual({ with: true, without: false });
    expect(tries(calls.slice(0, 3), look)).toEqual({ without: false });
  });
});

describe('the first calls of both forms', () => {
  it('are compared from the start, so that no failure selects them', () => {
    const calls = [worked('new a'), failed('old b', 'another error'), worked('old c')];
    expect(triedIn(useNew, 'form', recordedRun('e', calls))).toEqual({ with: true, without: false });
  });

  it('are made only from forms that are named', () => {
    const of = (predicate: Predicate) => armsOf(predicate, []).map(({ kind }) => kind);
    expect(of(useNew)).toEqual(['after', 'form']);
    expect(of({ when: { tool: 'sql', error: 'x' }, follow: { tool: 'sql', args: 'limit' } })).toEqual(['after']);
    expect(of({ when: { action: 'old', error: 'x' }, follow: { sameArgs: false } })).toEqual(['after']);
  });
});

describe('the first calls of an action', () => {
  const start = (predicate: Predicate, calls: ShortCall[]) => triedIn(predicate, 'start', recordedRun('e', calls));

  it('are split by form, or by what was done before', () => {
    const action = { action: 'select' };
    const calls = [failed('select a'), worked('show'), worked('select b'), failed('select c limit')];
    expect(start({ start: { action, prior: { action: 'show' } } }, calls)).toEqual({ with: true, without: false });
    expect(start({ start: { action, form: { args: 'limit' } } }, calls)).toEqual({ with: false, without: false });
  });

  it('are made from `attempt`, for the actions that failed so; another error is not that failure', () => {
    const predicate: Predicate = {
      when: { error: 'no table' },
      follow: { action: 'show' },
      attempt: { sameAction: true },
    };
    const calls = [worked('ls'), failed('select a', 'no table'), worked('show'), failed('select b', 'other')];
    expect(start(predicate, calls)).toEqual({ with: true, without: false });
  });
});

describe('whole executions', () => {
  const judged = (calls: ShortCall[], succeeded?: boolean) =>
    recordedRun('e', calls, succeeded === undefined ? {} : { succeeded });
  const lookFirst: Predicate = { execution: { first: { action: 'show' }, before: { action: 'select' } } };

  it('are split by whether they did it in time, and count by their judged outcome', () => {
    const [look, select] = [worked('show'), worked('select')];
    expect(triedIn(lookFirst, 'execution', judged([look, select], true))).toEqual({ with: true });
    expect(triedIn(lookFirst, 'execution', judged([select, look], false))).toEqual({ without: false });
    expect(triedIn(lookFirst, 'execution', judged([look], true))).toBeUndefined();
    expect(triedIn(lookFirst, 'execution', judged([look, select]))).toBeUndefined();
  });

  it('may be asked for what comes after something', () => {
    const predicate: Predicate = { execution: { after: { action: 'oops' }, did: { action: 'fix' } } };
    expect(triedIn(predicate, 'execution', judged([worked('fix'), failed('oops')], false))).toEqual({ without: false });
    expect(triedIn(predicate, 'execution', judged([failed('oops'), worked('fix')], true))).toEqual({ with: true });
  });
});
