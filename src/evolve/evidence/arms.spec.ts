import { describe, expect, it } from '@jest/globals';
import { learnedClaim } from '../../../test/support/learned-claims.js';
import { failed, recordedRun, type ShortCall, unknown, worked } from '../../../test/support/recorded-calls.js';
import type { ArmKind } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { armsOf } from './arms.js';
import { type Tried, triedBy } from './comparison.js';
import type { RecordedExecution } from './recorded-execution.js';

function triedIn(predicate: Predicate, kind: ArmKind, execution: RecordedExecution): Tried | undefined {
  const arms = armsOf(predicate).find((one) => one.kind === kind);
  const own = arms?.over(execution);
  return own && triedBy(own);
}

const newer: Predicate = {
  learned: learnedClaim({ call: 'python a.py', error: 'boom', remedy: 'python3 a.py' }),
};

describe('the tries after a failure', () => {
  const tries = (calls: ShortCall[]) => triedIn(newer, 'after', recordedRun('e', calls));

  it('are the first that follows, and the first before it that does not', () => {
    const again = failed('python a.py');
    expect(tries([again, again, worked('python a.py'), worked('python3 a.py')])).toEqual({
      with: true,
      without: false,
    });
    const later = [worked('python3 a.py'), failed('python a.py'), failed('python3 a.py', 'other')];
    expect(tries([...later, worked('python3 a.py')])).toEqual({ with: false });
  });

  it('need the failure, and a try of the same call', () => {
    expect(tries([failed('python a.py', 'another error'), worked('python3 a.py')])).toBeUndefined();
    expect(tries([failed('python a.py'), worked('ls')])).toBeUndefined();
  });

  it('of an unknown result count on no side; the next one does', () => {
    expect(tries([failed('python a.py'), unknown('python3 a.py'), failed('python3 a.py', 'x')])).toEqual({
      with: false,
    });
    expect(tries([failed('python a.py'), unknown('python a.py'), worked('python a.py')])).toEqual({ without: true });
  });
});

describe('the first calls of both forms', () => {
  it('are compared from the start, so that no failure selects them', () => {
    const calls = [worked('python3 a.py'), failed('python a.py', 'another error'), worked('python a.py')];
    expect(triedIn(newer, 'form', recordedRun('e', calls))).toEqual({ with: true });
    expect(triedIn(newer, 'form', recordedRun('e', [...calls].reverse()))).toEqual({ with: true, without: true });
  });
});
