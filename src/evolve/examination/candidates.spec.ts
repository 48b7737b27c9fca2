import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { failed, recordedRun, type ShortCall, unknown, worked } from '../../../test/support/recorded-calls.js';
import { failureTest } from '../../evidence/predicate/compiled-predicate.js';
import { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { candidatesOf, type FamilySample } from './candidates.js';

const SYNTAX = 'SyntaxError: invalid syntax';
const isMember = ({ failure }: RecordedCall): boolean => failure !== undefined;

const run = (n: number, calls: readonly ShortCall[], over: Partial<RecordedExecution> = {}): RecordedExecution =>
  recordedRun(`run ${n}`, calls, { agentId: `agent ${n}`, ...over });

/** Runs with these calls, each of another agent on another task unless `over` says otherwise. */
const runs = (calls: (n: number) => ShortCall[], over: Partial<RecordedExecution> = {}, first = 1) =>
  [0, 1, 2].map((at) => run(first + at, calls(first + at), over));

const learnedFrom = (executions: readonly RecordedExecution[], more: Partial<FamilySample> = {}) =>
  candidatesOf({ isMember, executions, ...more });

const REMEDIES = {
  program: (n: number) => [failed(`python tool${n}.py`, SYNTAX), worked(`python3 tool${n}.py`)],
  form: (n: number) => [
    failed(`lang build tool${n}.x`, 'error: the cache is stale'),
    worked(`lang build --fresh tool${n}.x`),
  ],
  step: (n: number) => [
    failed(`npx playwright test spec${n}`, "Error: Executable doesn't exist"),
    worked('npx playwright install'),
    worked(`npx playwright test spec${n}`),
  ],
  omission: (n: number) => [
    failed(`date --rfc2822 file${n}`, 'date: unrecognized option --rfc2822'),
    worked(`date file${n}`),
  ],
} as const;

describe('the candidates of a family', () => {
  it.each([
    ['a program in the place of another', REMEDIES.program, { how: 'replace', label: 'python3', taught: ['python3'] }],
    ['a form', REMEDIES.form, { how: 'replace', label: '--fresh', taught: ['--fresh'], avoided: [] }],
    ['a step', REMEDIES.step, { how: 'prepare', label: 'npx playwright install first', taught: [] }],
    ['an omission', REMEDIES.omission, { how: 'omit', label: 'without --rfc2822', avoided: ['--rfc2822'] }],
  ] as const)('are %s, from runs that agree', (_what, calls, expected) => {
    expect(learnedFrom(runs(calls))).toMatchObject([expected]);
  });

  it('apply to the failures that they were learned from, and to the same failure with other values', () => {
    const [candidate] = learnedFrom(runs(REMEDIES.program));
    const isAbout = failureTest(candidate?.predicate ?? {});
    const failures = (calls: readonly ShortCall[]) => run(9, calls).calls.filter((call) => isAbout?.(call));
    expect(failures(REMEDIES.program(2))).toHaveLength(1);
    expect(failures([failed('python other.py', SYNTAX)])).toHaveLength(1);
    expect(failures([failed('python other.py', 'KeyError: region'), failed('ruby other.py', SYNTAX)])).toEqual([]);
    expect(failures([worked('python other.py'), unknown('python other.py')])).toEqual([]);
  });

  it('name the one action that fails, and none if several do', () => {
    expect(learnedFrom(runs(REMEDIES.program))[0]?.failingAction).toBe('python');
    const variable = (program: string) => (n: number) => [
      failed(`${program} a${n}.x`, SYNTAX),
      worked(`FORMS=1 ${program} a${n}.x`),
    ];
    const [shared] = learnedFrom([...runs(variable('lang')), ...runs(variable('tool'), {}, 4)]);
    expect(shared).toMatchObject({ label: 'FORMS=' });
    expect(shared?.failingAction).toBeUndefined();
  });

  it.each(Object.entries(REMEDIES))('are none of one agent, or of one task: %s', (_what, calls) => {
    expect(learnedFrom(runs(calls, { agentId: 'agent' }))).toEqual([]);
    expect(learnedFrom(runs(calls, { origin: 'task' }))).toEqual([]);
    expect(learnedFrom([run(1, calls(1))])).toEqual([]);
  });

  it('are none of failures that stayed, of results that nothing says, and of another family', () => {
    expect(learnedFrom(runs((n) => [failed(`python a${n}.py`, SYNTAX), failed(`python3 a${n}.py`, SYNTAX)]))).toEqual(
      [],
    );
    expect(learnedFrom(runs((n) => [failed(`python a${n}.py`, SYNTAX), unknown(`python3 a${n}.py`)]))).toEqual([]);
    expect(learnedFrom(runs(REMEDIES.program), { isMember: () => false })).toEqual([]);
  });

  it('are none if a plain repeat works as well', () => {
    const repeated = (n: number) => [failed(`python tool${n}.py`, SYNTAX), worked(`python tool${n}.py`)];
    expect(learnedFrom(runs(repeated))).toEqual([]);
    const repeats = [...runs(repeated, {}, 4), ...runs(repeated, {}, 7)];
    for (const calls of Object.values(REMEDIES)) {
      const alike = repeats.map(({ id, agentId }, at) => {
        const [failure] = calls(at + 4);
        return recordedRun(id, failure ? [failure, worked(failure.text)] : [], { agentId });
      });
      expect(learnedFrom([...runs(calls), ...alike])).toEqual([]);
    }
  });

  it('are no look at something that the failure does not name', () => {
    const looked = (look: string) => (n: number) => [
      failed(`lang a${n}.x`, SYNTAX),
      worked(look),
      worked(`lang a${n}.x`),
    ];
    for (const look of ['ls src', 'git status', 'lang --version', 'cat notes.md'])
      expect(learnedFrom(runs(looked(look)))).toEqual([]);
    expect(learnedFrom(runs(looked('lang init')))).toMatchObject([{ label: 'lang init first' }]);
  });

  it('leave a flag out only if the error names it', () => {
    const dropped = (error: string) =>
      learnedFrom(runs((n) => [failed(`lang --fast main${n}.x`, error), worked(`lang main${n}.x`)]));
    expect(dropped('lang: the program ended badly')).toEqual([]);
    expect(dropped('lang: unknown option --fast')).toMatchObject([{ how: 'omit', avoided: ['--fast'] }]);
  });

  it('skip a check only if that is asked for', () => {
    const skipped = runs((n) => [
      failed(`git commit -m note${n}`, 'husky - pre-commit hook failed'),
      worked(`git commit --no-verify -m note${n}`),
    ]);
    expect(learnedFrom(skipped)).toEqual([]);
    expect(learnedFrom(skipped, { countSkippedChecks: true })).toMatchObject([{ taught: ['--no-verify'] }]);
  });

  it('are what each kind of failure needs, if the kinds need different things', () => {
    const all = [...runs(REMEDIES.program), ...runs(REMEDIES.step, {}, 4)];
    expect(
      learnedFrom(all)
        .map(({ label }) => label)
        .sort(),
    ).toEqual(['npx playwright install first', 'python3']);
  });

  const anyRuns = fc
    .array(
      fc.record({
        kind: fc.constantFrom<(n: number) => ShortCall[]>(...Object.values(REMEDIES), (n) => [
          failed(`python tool${n}.py`, SYNTAX),
          worked(`python tool${n}.py`),
        ]),
        agent: fc.integer({ min: 0, max: 4 }),
        task: fc.integer({ min: 0, max: 4 }),
      }),
      { maxLength: 14 },
    )
    .map((all) =>
      all.map(({ kind, agent, task }, n) => run(n, kind(n), { agentId: `agent ${agent}`, origin: `task ${task}` })),
    );

  it('do not depend on the order of the executions', () => {
    const shuffled = anyRuns.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    );
    fc.assert(fc.property(shuffled, ([all, other]) => expect(learnedFrom(other)).toEqual(learnedFrom(all))));
  });

  it('are predicates that can be stored, each with its own key, and about a failure of two agents and tasks', () => {
    fc.assert(
      fc.property(anyRuns, (all) => {
        const found = learnedFrom(all);
        expect(new Set(found.map(({ key }) => key)).size).toBe(found.length);
        for (const { predicate } of found) {
          expect(Predicate.parse(predicate)).toEqual(predicate);
          const isAbout = failureTest(predicate);
          const about = all.filter(({ calls }) => calls.some((call) => isAbout?.(call)));
          expect(new Set(about.map(({ agentId }) => agentId)).size).toBeGreaterThan(1);
          expect(new Set(about.map(({ origin }) => origin)).size).toBeGreaterThan(1);
        }
      }),
    );
  });
});
