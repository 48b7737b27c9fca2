import { describe, expect, it } from '@jest/globals';
import { classifyProblems, type Trial } from './task-trials.js';

/** One trial of each agent, which failed or passed the test of the task. */
const trials = (task: string, failed: number, passed: number): Trial[] =>
  Array.from({ length: failed + passed }, (_, at) => ({
    id: `${task}-${at}`,
    agent: `agent-${at}`,
    task_id: task,
    resolved: at >= failed,
    tests_failed: at < failed ? ['the test'] : [],
    tests_passed: at < failed ? [] : ['the test'],
  }));

const texts = new Map([
  ['hard', 'Do the hard thing.'],
  ['easy', 'Do the easy thing.'],
]);

describe('failed tests of tasks', () => {
  it('are classified as overcome by three agents or as unsolved', () => {
    const all = [...trials('hard', 4, 0), ...trials('easy', 3, 3)];
    expect(classifyProblems(all, all, texts)).toMatchObject({
      patterns: 2,
      overcome: 1,
      unsolved: 1,
      between: 0,
      undecidable: 0,
      right: { successes: 2, n: 2 },
    });
  });

  it('are counted as undecidable if the seen trials do not show the verdict', () => {
    const judge = [...trials('hard', 4, 0), ...trials('easy', 3, 3)];
    const fewFailed = [...trials('hard', 4, 0), ...trials('easy', 2, 4)];
    expect(classifyProblems(fewFailed, judge, texts)).toMatchObject({
      right: { successes: 1, n: 2 },
      undecidable: 1,
      rightOfDecidable: { successes: 1, n: 1 },
    });
    const onePassed = [...trials('hard', 4, 1), ...trials('easy', 3, 3)];
    expect(classifyProblems(onePassed, judge, texts)).toMatchObject({ right: { successes: 1, n: 2 }, undecidable: 1 });
  });

  it('that one or two agents passed are neither', () => {
    const all = trials('hard', 4, 2);
    expect(classifyProblems(all, all, texts)).toMatchObject({ patterns: 0, between: 1, undecidable: 0 });
  });
});
