import { describe, expect, it } from '@jest/globals';
import { timelineOf } from './skill-timeline.service.js';

describe('the timeline of a skill', () => {
  it('assigns uses and executions to their interval, and executions to the arm that received the skill then', () => {
    const runs = [
      { agentId: 'a', part: 0, executions: 4, failures: 2 },
      { agentId: 'a', part: 1, executions: 5, failures: 1 },
      { agentId: 'b', part: 1, executions: 3, failures: 3 },
    ];
    const uses = [
      { event: 'applied' as const, part: 1, uses: 7 },
      { event: 'offered' as const, part: 1, uses: 9 },
    ];
    const course = timelineOf(3, uses, runs, (agent, part) => part > 0 && agent === 'a');
    expect(course).toEqual([
      {
        offered: 0,
        loaded: 0,
        applied: 0,
        with: { executions: 0, failures: 0 },
        without: { executions: 4, failures: 2 },
      },
      {
        offered: 9,
        loaded: 0,
        applied: 7,
        with: { executions: 5, failures: 1 },
        without: { executions: 3, failures: 3 },
      },
      {
        offered: 0,
        loaded: 0,
        applied: 0,
        with: { executions: 0, failures: 0 },
        without: { executions: 0, failures: 0 },
      },
    ]);
  });
});
