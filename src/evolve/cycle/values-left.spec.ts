import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { execution, run } from '../../../test/support/window-execution.js';
import type { CycleOutcome } from './cycle.js';

const missing = (module: string): string => `ModuleNotFoundError: No module named '${module}'`;
const YAML = [
  run('python a.py', missing('yaml')),
  run('python a.py', missing('yaml')),
  run('pip install pyyaml'),
  run('python a.py'),
];
const LACKING = [run('python a.py', missing('acme_secret')), run('python a.py', missing('acme_secret'))];

/** `solved` executions install the module; `hopeless` ones lack another one, and nothing helps. */
function cycle(solved: number, hopeless: number): CycleOutcome {
  const executions = [
    ...Array.from({ length: solved }, (_, n) => execution(n, YAML)),
    ...Array.from({ length: hopeless }, (_, n) => execution(solved + n, LACKING)),
  ];
  return runCycle({
    executions,
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
    settings: CYCLE_DEFAULTS,
  });
}

describe('a family of which one value has a lesson', () => {
  it('is unsolved only in what the lesson leaves', () => {
    const outcome = cycle(16, 8);
    expect(outcome.drafts.map(({ text }) => text.title)).toEqual(['Run `pip install pyyaml` before `python a.py`']);
    expect(outcome.unsolved).toMatchObject([
      { action: 'python', counts: { executions: 8, failures: 16, distinctAgents: 8 } },
    ]);
  });

  it('is not listed if too few agents are left', () => {
    expect(cycle(16, 2).unsolved).toEqual([]);
  });

  it('is listed whole without the lesson', () => {
    expect(cycle(0, 8).unsolved).toMatchObject([{ action: 'python', counts: { executions: 8 } }]);
  });
});
