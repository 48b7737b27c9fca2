import { describe, expect, it } from '@jest/globals';
import { TaskOutcomes, type TaskProblem } from './task-outcomes.js';

type Run = [agent: string, ok: boolean, check?: string, owner?: string];

function problems(runs: Run[], owners = 1): TaskProblem[] {
  const outcomes = new TaskOutcomes();
  for (const [agentId, ok, name = 'test_vat', owner = 'owner'] of runs)
    outcomes.add({ support: { agentId, owner, origin: 'task', root: agentId }, checks: [{ name, ok }] });
  return outcomes.problems({ unit: 'agents', needed: 3 }, owners);
}

const failed = (...agents: string[]): Run[] => agents.map((agent) => [agent, false]);
const passed = (...agents: string[]): Run[] => agents.map((agent) => [agent, true]);

describe('the checks of one task', () => {
  it('that enough agents failed are classified by how many others passed them', () => {
    const three = failed('ada', 'bea', 'cyd');
    expect(problems(three)[0]).toMatchObject({ failedBy: 3, passedBy: 0, executions: 3, verdict: 'unsolved' });
    expect(problems([...three, ...passed('dan', 'eve')])[0]?.verdict).toBe('open');
    expect(problems([...three, ...passed('dan', 'eve', 'fay')])[0]).toMatchObject({ passedBy: 3, verdict: 'overcome' });
  });

  it('count an agent once, however often it tries', () => {
    expect(problems(failed('ada', 'ada', 'ada', 'bea'))).toEqual([]);
    const often = [...failed('ada', 'bea', 'cyd'), ...passed('dan', 'dan', 'dan')];
    expect(problems(often)[0]).toMatchObject({ passedBy: 1, verdict: 'open' });
  });

  it('need several owners if that is configured', () => {
    const runs: Run[] = [
      ['ada', false, 'test_vat', 'one'],
      ['bea', false, 'test_vat', 'one'],
      ['cyd', false, 'test_vat', 'one'],
    ];
    expect(problems(runs, 2)).toEqual([]);
    expect(problems([...runs, ['dan', false, 'test_vat', 'two']], 2)).toHaveLength(1);
  });

  it('are separated by task and by name, in an order that does not depend on the executions', () => {
    const runs: Run[] = [...failed('ada', 'bea', 'cyd'), ['ada', false, 'b'], ['bea', false, 'b'], ['cyd', false, 'b']];
    expect(problems(runs).map(({ check }) => check)).toEqual(['b', 'test_vat']);
    expect(problems([...runs].reverse())).toEqual(problems(runs));
  });

  it('are limited for any number of names in hostile reports', () => {
    const outcomes = new TaskOutcomes();
    const support = { agentId: 'ada', owner: 'o', origin: 'task', root: 'r' };
    for (let n = 0; n < 60_000; n += 1) outcomes.add({ support, checks: [{ name: `check ${n}`, ok: false }] });
    expect(outcomes.problems({ unit: 'agents', needed: 1 }, 1)).toHaveLength(50_000);
  });
});
