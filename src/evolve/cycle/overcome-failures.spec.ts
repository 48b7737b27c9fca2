import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { execution, run } from '../../../test/support/window-execution.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import type { CycleOutcome } from './cycle.js';
import { notProposed } from './cycle-report.js';

const FAILED = run('forge build', 'forge: error: the anvil is cold');

/** Each kind of run by as many agents. */
function cycle(...kinds: readonly (readonly [number, ...ToolCall[]])[]): CycleOutcome {
  const runs = kinds.flatMap(([size, ...calls]) => Array.from({ length: size }, () => calls));
  return runCycle({
    executions: runs.map((calls, n) => execution(n, calls)),
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
    settings: { ...CYCLE_DEFAULTS, minConfidenceForProposal: 0.99 },
  });
}

const rows = (outcome: CycleOutcome) =>
  notProposed(outcome, []).flatMap(({ because, reason }) =>
    because === 'low_confidence' ? [] : [{ because, reason }],
  );

describe('a failure without a lesson', () => {
  it('is unsolved if no run got past it', () => {
    const outcome = cycle(
      [6, FAILED, FAILED],
      [3, FAILED, run('forge build --hot', 'forge: error: the anvil is cold')],
    );
    expect(outcome).toMatchObject({ unsolved: [{ action: 'forge' }], overcome: [] });
    expect(rows(outcome)).toEqual([{ because: 'unsolved', reason: null }]);
  });

  it('is not unsolved if one agent got past it', () => {
    const outcome = cycle([6, FAILED, FAILED], [1, FAILED, run('bellows --heat anvil'), run('forge build')]);
    expect(outcome).toMatchObject({ unsolved: [], overcome: [{ standing: 'too_few_agents' }] });
  });

  it('names the different ways in which agents got past it, with the number of executions', () => {
    const outcome = cycle(
      [9, FAILED, FAILED],
      [1, FAILED, run('forge build --hot')],
      [1, FAILED, run('forge build --fuel=coal')],
      [2, FAILED, run('sudo forge build')],
    );
    expect(outcome.unsolved).toEqual([]);
    expect(rows(outcome)).toEqual([
      {
        because: 'no_proven_remedy',
        reason: expect.stringMatching(/^(?=.*`forge build --hot` \(1\)).*`sudo forge build` \(2, takes more rights\)/),
      },
    ]);
  });

  it('passes if runs got past it by the same call again', () => {
    const outcome = cycle([4, FAILED, run('git status'), run('forge build')], [3, FAILED, FAILED]);
    expect(outcome).toMatchObject({ unsolved: [], overcome: [{ standing: 'passing' }] });
  });

  it('may only be got past in ways that may not be advised', () => {
    const deep = run('forge build --deep', 'forge: error: the anvil is cold');
    const outcome = cycle([5, deep, deep], [1, deep, run('sudo forge build --deep')], [1, deep, run('forge build')]);
    expect(outcome).toMatchObject({ unsolved: [], overcome: [{ standing: 'not_advisable' }] });
    expect(rows(outcome)).toEqual([
      {
        because: 'not_advisable',
        reason:
          '`forge build` (1, leaves out what the error does not name); `sudo forge build --deep` (1, takes more rights)',
      },
    ]);
  });

  it('is normal work if runs corrected what they worked on, or went on without the call', () => {
    const edit = { ...run('x'), name: 'Edit', action: '{"file_path":"src/anvil.ts"}' };
    const corrected = cycle([4, FAILED, edit, run('forge build')], [1, FAILED, FAILED]);
    expect(corrected).toMatchObject({ unsolved: [], overcome: [{ standing: 'normal_work' }] });
    const searched = run('find furnace', 'find: furnace: not here');
    expect(cycle([4, searched, run('git status')])).toMatchObject({
      unsolved: [],
      overcome: [{ standing: 'normal_work' }],
    });
  });

  it('is not unsolved if nothing says that a later call for the same failed', () => {
    const piped = run('forge build --hot | tail -3');
    expect(cycle([4, FAILED, piped])).toMatchObject({ unsolved: [], overcome: [{ standing: 'normal_work' }] });
  });

  it('stays in the list where a lesson is about other failures of its family', () => {
    const cold = (file: string) => run(`forge build ${file}`, `forge: error: the anvil is cold: ${file}`);
    const outcome = cycle(
      ...['a', 'b', 'c', 'd', 'e'].map((name): [number, ...ToolCall[]] => [
        1,
        cold(name),
        run(`forge build ${name} --hot`),
      ]),
      [
        4,
        run('forge melt all', 'forge: error: the anvil is cold: all'),
        run('forge melt all', 'forge: error: the anvil is cold: all'),
      ],
    );
    expect(outcome.unsolved).toMatchObject([{ counts: { executions: 4, failures: 8 } }]);
    expect(outcome.places).toEqual({ proposed: 5, unsolved: 8 });
  });
});

it('each failure of a window is in one place, and those of too few agents are listed', () => {
  const rare = run('anvil ring', 'anvil: error: there is no hammer');
  const outcome = cycle([4, FAILED, FAILED], [1, rare, rare], [4, run('tongs x', 'tongs: lost'), run('tongs x')]);
  expect(outcome.places).toEqual({ unsolved: 8, too_few: 2, passing: 4 });
  expect(outcome.tooFew).toMatchObject([{ action: 'anvil', counts: { agents: 1, failures: 2 } }]);
});
