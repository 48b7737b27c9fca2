import { describe, expect, it } from '@jest/globals';
import { type ModelUse, modelShift } from './skill-watch.service.js';

const on = (model: string, ...executions: number[]): ModelUse[] =>
  executions.map((count, n) => ({ agentId: `agent ${n}`, model, executions: count }));

describe('a model shift', () => {
  it('is found if half of the executions run on models that the evidence does not name', () => {
    expect(modelShift(['a'], [...on('a', 14, 14), ...on('b', 10, 6, 4), ...on('c', 8)])).toEqual({
      executions: 56,
      onOthers: 28,
      is: [
        { model: 'b', executions: 20, agents: 3 },
        { model: 'c', executions: 8, agents: 1 },
      ],
    });
    expect(modelShift(['a'], [...on('a', 15, 14), ...on('b', 10, 6, 4), ...on('c', 8)])).toBeUndefined();
  });

  it.each([
    ['the evidence names no model', [], on('b', 50, 50, 50)],
    ['the executions name none', ['a'], []],
    ['all executions run on models of the evidence', ['a', 'b'], on('b', 50, 50, 50)],
    ['only two agents run on other models', ['a'], on('b', 50, 50)],
    ['there are only nineteen executions', ['a'], on('b', 10, 5, 4)],
  ])('is not found if %s', (_why, evidenceModels, recentUses) => {
    expect(modelShift(evidenceModels, recentUses)).toBeUndefined();
  });

  it('lists its models in the same order for any order of the counts', () => {
    const uses = [...on('c', 10, 10), ...on('b', 10, 10), ...on('d', 30, 1, 1)];
    expect(modelShift(['a'], uses)?.is.map(({ model }) => model)).toEqual(['d', 'b', 'c']);
    expect(modelShift(['a'], uses.toReversed())).toEqual(modelShift(['a'], uses));
  });
});
