import { describe, expect, it } from '@jest/globals';
import { ReportedReader } from '../../../test/support/cycles.js';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import type { Check, Verdict } from '../../evidence/predicate/check.schema.js';
import { type RecordedExecution, recordedExecution } from '../evidence/recorded-execution.js';
import { bestOfEach, type ExaminedCandidate, examineFamily, type FamilyFindings } from './family-examination.js';

const SYNTAX = 'SyntaxError: invalid syntax';
const PYTHON: WorkKind = {
  of: 24,
  calls: [run('python a.py', SYNTAX), run('python a.py', SYNTAX), run('python3 a.py')],
};

function examine(work: WorkKind, order = (all: RecordedExecution[]) => all): FamilyFindings {
  const reader = new ReportedReader();
  for (const one of observedWork([work])) reader.add(one);
  const executions = observedWork([work]).flatMap(({ id }) => {
    const reported = reader.reportOf(id);
    return reported ? [recordedExecution(reported)] : [];
  });
  const [family] = reader.index.families();
  const found = family && examineFamily(family, order(executions), {});
  if (!found) throw new Error('no family');
  return found;
}

const NONE = { worked: 0, n: 0 };
function candidate(key: string, verdict: Verdict, change: Partial<ExaminedCandidate> = {}): ExaminedCandidate {
  const check: Check = {
    verdict,
    split: 'origin',
    by: null,
    comparisons: [],
    scope: null,
    seen: { with: NONE, without: NONE },
    withoutOneAgent: null,
    withoutOneHarness: null,
  };
  return {
    key,
    how: 'replace',
    action: key,
    label: key,
    taught: [],
    avoided: [],
    predicate: {},
    check,
    binding: {},
    workedFor: { parties: 3, agents: 3, owners: 3 },
    dangers: [],
    treated: new Set<string>(),
    ...change,
  };
}

describe('the examination of a family', () => {
  it('learns a candidate from each half of the origins and checks it on the other', () => {
    const { candidates } = examine(PYTHON);
    expect(candidates).toHaveLength(1);
    const [only] = candidates;
    expect(only).toMatchObject({ action: 'python3', check: { verdict: 'confirmed', split: 'origin' } });
    expect(only?.check.comparisons[0]?.with).toEqual({ worked: 24, n: 24 });
    expect(only?.check.seen.with).toEqual({ worked: 24, n: 24 });
  });

  it('counts the agents for whom a candidate worked, and the retries of the same call', () => {
    const { candidates, outcomes, examined } = examine(PYTHON);
    expect(candidates[0]?.workedFor).toEqual({ parties: 24, agents: 24, owners: 1 });
    expect({ repeats: outcomes.repeats, examined }).toEqual({ repeats: { worked: 0, n: 24 }, examined: 24 });
  });

  it('does not depend on the order of the executions', () => {
    const { family: _family, isMember: _is, read: _read, ...expected } = examine(PYTHON);
    const { family: _other, isMember: _other2, read: _other3, ...reversed } = examine(PYTHON, (all) => all.reverse());
    expect(reversed).toEqual(expected);
  });
});

describe('candidates of one family', () => {
  const keys = (found: ExaminedCandidate[]) => bestOfEach(found).map(({ key, check }) => `${key} ${check.verdict}`);

  it('with one key are one: the one whose check says most, held out before seen in all', () => {
    expect(keys([candidate('a', 'undecided'), candidate('a', 'confirmed')])).toEqual(['a confirmed']);
    const [best] = bestOfEach([candidate('a', 'observed'), candidate('a', 'observed', { heldOut: 'b' })]);
    expect(best?.heldOut).toBe('b');
  });

  it('that treat the same calls are one', () => {
    const treated = (...calls: string[]) => ({ treated: new Set(calls) });
    const same = [candidate('a', 'confirmed', treated('1', '2', '3')), candidate('b', 'observed', treated('1', '2'))];
    expect(keys(same)).toEqual(['a confirmed']);
    const apart = [candidate('a', 'confirmed', treated('1', '2')), candidate('b', 'observed', treated('2', '3', '4'))];
    expect(keys(apart)).toEqual(['a confirmed', 'b observed']);
  });

  it('are refuted if they were refuted once on executions that they were not learned from', () => {
    expect(keys([candidate('a', 'observed'), candidate('a', 'refuted', { heldOut: 'a' })])).toEqual(['a refuted']);
  });
});
