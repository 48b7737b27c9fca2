import { describe, expect, it } from '@jest/globals';
import type { Predicate } from '../../src/evidence/predicate/predicate.schema.js';
import type { Family } from '../../src/evolve/evidence/candidate.js';
import { checkPredicate } from '../../src/evolve/evidence/check.js';
import { halvesOf } from '../../src/evolve/evidence/halves.js';
import type { RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { NO_OUTCOMES } from '../../src/evolve/examination/family-outcomes.js';
import { learnedClaim } from '../../test/support/learned-claims.js';
import { readSet } from '../sets/set-reader.js';
import type { ExaminedFamily } from './examined.js';
import { measureSet } from './measure-set.js';
import { RepeatedCheck } from './shuffled-null.js';

const AGENTS = ['ada', 'ben', 'cyd', 'dan'];
const DONE = { tool: 'Bash', args: 'ls books', ok: true };
const BROKEN = { tool: 'Bash', args: 'python close.py', ok: false, error: 'SyntaxError: invalid syntax' };

/** Sessions in which `python` fails twice, and `python3` works. */
function sessions(n: number): string {
  return Array.from({ length: n }, (_, at) =>
    JSON.stringify({
      id: `s${at}`,
      agent_id: AGENTS[at % AGENTS.length],
      task_id: `close ${at}`,
      harness: at % 2 === 0 ? 'one-agent 1.0' : 'another-agent 1.0',
      tool_calls: [
        DONE,
        ...[{ tool: 'note', args: 'a note without a result' }],
        BROKEN,
        BROKEN,
        { tool: 'Bash', args: 'python3 close.py', ok: true },
        DONE,
      ],
    }),
  ).join('\n');
}

const FAILURE = { call: BROKEN.args, error: BROKEN.error };
const GOOD: Predicate = { learned: learnedClaim({ ...FAILURE, remedy: 'python3 close.py' }) };
/** All sessions take the step, and the call fails nevertheless. */
const VAIN: Predicate = { learned: learnedClaim({ ...FAILURE, remedy: BROKEN.args, step: 'ls books' }) };
const UNMET: Predicate = { learned: learnedClaim({ ...FAILURE, call: 'ruby a.rb', remedy: 'ruby3 a.rb' }) };

const FAMILY: Family = {
  fingerprint: 'sha256:0',
  signature: 'SyntaxError: invalid syntax',
  templates: new Set<string>(),
  fingerprints: [],
  tools: ['shell'],
  actions: ['python'],
  errorClasses: ['SyntaxError'],
  // the benchmark reads neither the evidence of a family nor its dossier
  evidence: {} as Family['evidence'],
};

/** Candidates that were learned from one half by hand, and are checked on the other. */
function examine(predicates: readonly Predicate[], taught: readonly string[] = []) {
  return (executions: readonly RecordedExecution[]): ExaminedFamily[] => {
    const halves = halvesOf(executions, { by: 'origin' });
    const isMember = (call: RecordedExecution['calls'][number]): boolean => call.ok === false;
    const candidates = predicates.map((predicate, at) => ({
      key: `lesson ${at}`,
      how: 'replace' as const,
      action: 'python3',
      label: 'python3',
      taught,
      avoided: [],
      predicate,
      binding: {},
      heldOut: 'b' as const,
      workedFor: { parties: 2, agents: 2, owners: 2 },
      dangers: [],
      treated: new Set<string>(),
      check: checkPredicate({ predicate, isFamily: isMember, held: halves.b, all: executions, split: 'origin' }),
    }));
    return [
      {
        family: FAMILY,
        isMember,
        candidates,
        halves,
        split: 'origin',
        dossier: {} as ExaminedFamily['dossier'],
        outcomes: NO_OUTCOMES,
        examined: executions.length,
        read: executions.map(({ id }) => id),
      },
    ];
  };
}

const LEDGERS = readSet(sessions(60), 'ledgers');

const measure = (
  predicates: readonly Predicate[],
  more: { seed?: number; taught?: string[]; nullCycles?: number } = {},
) =>
  measureSet(LEDGERS, {
    draws: 40,
    nullCycles: more.nullCycles ?? 0,
    calibrationDraws: 0,
    seed: more.seed ?? 0,
    progress: () => undefined,
    now: () => 0,
    examine: examine(predicates, more.taught),
  });

describe('the measure of what transfers', () => {
  it('counts all failures and the recoverable ones, and covers those of the held-out half', () => {
    const { figures } = measure([GOOD]);
    expect(figures).toMatchObject({ families: 1, errors: 120, recoverable: 120, confirmed: 1, refuted: 0 });
    // learned from one half by hand, it covers the other half
    expect(figures.covered).toBeGreaterThan(0.3);
    expect(figures.covered).toBeLessThan(0.7);
    expect(figures.coveredRecoverable).toBe(figures.covered);
    expect(figures.observedCovered).toBe(figures.covered);
    expect(figures.overcome).toBe(120);
    expect(figures.strictRecoverable).toBe(figures.covered);
    expect(figures.observedStrictRecoverable).toBe(figures.covered);
    expect(figures.withoutOneAgent).toEqual({ confirmed: 1, of: 1 });
    expect(figures.withoutOneHarness).toEqual({ confirmed: 1, of: 1 });
  });

  it('covers nothing without a confirmed lesson', () => {
    const { figures } = measure([UNMET]);
    expect(figures).toMatchObject({ errors: 120, confirmed: 0, covered: 0, coveredRecoverable: 0, null: 0 });
  });

  it('runs whole cycles over shuffled outcomes if it is asked to', () => {
    expect(measure([GOOD]).figures).not.toHaveProperty('nullObserved');
    const { figures } = measure([GOOD], { nullCycles: 2 });
    expect(figures.proposed).toEqual({ confirmed: 1, observed: 0 });
    expect(figures).toMatchObject({ nullConfirmed: 0 });
    expect(figures.nullObservedInterval?.[1]).toBeGreaterThan(figures.nullObserved ?? 0);
  });

  it('confirms hardly anything if outcomes are chance', () => {
    const { figures } = measure([GOOD, VAIN]);
    expect(figures.null).toBeLessThanOrEqual(0.05);
    expect(figures.nullInterval[1]).toBeGreaterThan(figures.null);
  });

  it('draws other halves with another seed, and the same ones with the same', () => {
    const halves = (seed: number) =>
      measure([GOOD], { seed }).lessons[0]?.candidates[0]?.of.halves.b.map(({ id }) => id) ?? [];
    expect(halves(3)).toEqual(halves(3));
    expect(halves(3)).not.toEqual(halves(0));
  });

  it('finds a lesson that reaches the queue and only skips a check', () => {
    expect(measure([GOOD], { taught: ['--no-verify'] }).bypasses).toEqual([{ key: 'lesson 0', skips: '--no-verify' }]);
    expect(measure([GOOD]).bypasses).toEqual([]);
  });
});

it('the repeated check comes to the verdict of the check', () => {
  const [family] = measure([GOOD, VAIN]).lessons.flatMap(({ candidates }) => candidates.map(({ of }) => of));
  for (const { predicate, check } of family?.candidates ?? []) {
    const { a, b } = family?.halves ?? { a: [], b: [] };
    expect(new RepeatedCheck(predicate, a, b).verdict()).toBe(check.verdict);
  }
  expect(family?.candidates).toHaveLength(2);
});
