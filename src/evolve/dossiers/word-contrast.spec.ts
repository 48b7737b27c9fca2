import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CallsOfExecution, contrastWords, wordsOfCall } from './word-contrast.js';

const line = (origin: string, ...texts: string[]): CallsOfExecution => ({
  origin,
  calls: texts.map((text) => ({ tool: 'shell', text })),
});

describe('the words that tell failed calls from others', () => {
  it('come with their shares and the executions and origins that hold them, the largest difference first', () => {
    const failed = [line('a', 'python bill.py'), line('b', 'python tax.py'), line('b', 'python tax.py')];
    const worked = [line('a', 'python3 bill.py'), line('c', 'python3 tax.py -v', 'python3 tax.py')];
    const [first, second] = contrastWords(failed, worked);
    expect([first, second]).toEqual([
      {
        word: 'python',
        failedShare: 1,
        workedShare: 0,
        failed: { executions: 3, origins: 2 },
        worked: { executions: 0, origins: 0 },
      },
      {
        word: 'python3',
        failedShare: 0,
        workedShare: 1,
        failed: { executions: 0, origins: 0 },
        worked: { executions: 2, origins: 2 },
      },
    ]);
    expect(contrastWords(failed, worked).find(({ word }) => word === '-v')?.workedShare).toBe(0.25);
  });

  it('count an execution once, however often it repeats a call', () => {
    const loud = line('a', ...Array.from({ length: 50 }, () => 'npm ci'));
    const [word] = contrastWords([loud, line('b', 'yarn'), line('c', 'yarn'), line('d', 'yarn')], []);
    expect(word).toMatchObject({ word: 'yarn', failedShare: 0.75, failed: { executions: 3 } });
  });

  it('are programs, flags, folders and kinds of files of a command, and of another tool the words of its values', () => {
    expect([
      ...wordsOfCall({ tool: 'shell', text: 'cd shop && LANG=C pytest tests/unit/test_tax.py --tb=short' }),
    ]).toEqual(
      expect.arrayContaining(['cd', 'shop', '&&', 'LANG=', 'pytest', 'tests/', '*.py', '--tb=', '--tb=short']),
    );
    const call = { tool: 'sql', text: JSON.stringify({ query: 'SELECT fare FROM trips', limit: 5 }) };
    expect([...wordsOfCall(call)]).toEqual(['SELECT', 'fare', 'FROM', 'trips', 'limit=5']);
  });

  it('do not depend on the order of the executions', () => {
    const all = [line('a', 'make all'), line('b', 'make test -k'), line('c', 'make -j4 all'), line('d', 'gmake')];
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: 4 }), (shuffled) => {
        expect(contrastWords(shuffled, all.slice(0, 2))).toEqual(contrastWords(all, all.slice(0, 2)));
      }),
    );
  });
});
