import { describe, expect, it } from '@jest/globals';
import type { LessonParts } from '../../memory/store/lesson.schema.js';
import { groupRepeats, type Repeatable } from './repeats.js';

const IN_A_TASK = 'You are about to run the export in a task like';

function lesson(id: string, action: string, condition: string, more: Partial<Repeatable['entry']> & LessonParts = {}) {
  const { provenance = 'unverified', ...parts } = more;
  const activation = { condition, action, rationale: `Seen in ${id}.` };
  const entry: Repeatable['entry'] = {
    id,
    provenance,
    lesson: { discovery: 'The export fails', activation, steps: [action], confidence: 0.7, tags: [], ...parts },
  };
  return { entry };
}

const ids = (memories: readonly Repeatable[]): string[][] =>
  groupRepeats(memories).map((group) => group.map(({ entry }) => entry.id));

describe('memories that repeat each other', () => {
  it('are those with the same action whose conditions differ in the task only', () => {
    const [a, b] = [
      lesson('a', 'Use python3', `${IN_A_TASK} "nightly"`),
      lesson('b', 'Use  python3', `${IN_A_TASK} "weekly"`),
    ];
    expect(ids([a, b])).toEqual([['a', 'b']]);
    expect(ids([a, lesson('c', 'Use python3', 'A release is tagged in the morning')])).toEqual([['a'], ['c']]);
  });

  it('are not those that tell another value or another call', () => {
    expect(ids([lesson('a', 'nvm use 18', IN_A_TASK), lesson('b', 'nvm use 20', IN_A_TASK)])).toEqual([['a'], ['b']]);
    expect(ids([lesson('a', 'tar -C', IN_A_TASK), lesson('b', 'tar -c', IN_A_TASK)])).toEqual([['a'], ['b']]);
    expect(ids([lesson('a', 'make -C', IN_A_TASK), lesson('b', 'make C', IN_A_TASK)])).toEqual([['a'], ['b']]);
    const example = (worked: string) => ({
      example: {
        failed: { tool: 'shell', call: 'psql' },
        error: 'refused',
        between: [],
        worked: { tool: 'shell', call: worked },
      },
    });
    const [c, d] = ['psql -h db1', 'psql -h db2'].map((call) =>
      lesson(call, 'Name the host', IN_A_TASK, example(call)),
    );
    expect(ids([c, d].flatMap((one) => one ?? []))).toEqual([['psql -h db1'], ['psql -h db2']]);
  });

  it('put a verified one first, and else keep their order', () => {
    const verified = lesson('c', 'Use python3', IN_A_TASK, { provenance: 'verified' });
    expect(ids([lesson('a', 'Use python3', IN_A_TASK), lesson('b', 'x', 'y'), verified])).toEqual([['c', 'a'], ['b']]);
    expect(ids([])).toEqual([]);
  });
});
