import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { originOf } from './executions.service.js';

const hash = (digit: string): string => `sha256:${digit.repeat(64)}`;
const [A, B] = [hash('a'), hash('b')];

describe('the origin of a task', () => {
  it('is the same for the same text', () => {
    const task = { taskTitle: 'Close the books', taskDescription: 'of March' };
    expect(originOf({ ...task })).toBe(originOf({ ...task }));
    expect(originOf(task)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['close the BOOKS', 'Close the books!', '  Close\tthe\n books ', 'Ｃｌｏｓｅ the books', 'Close-the-books.'])(
    'does not change with the spelling: %j',
    (taskTitle) => {
      expect(originOf({ taskTitle })).toBe(originOf({ taskTitle: 'Close the books' }));
    },
  );

  it('differs for another text, in any script', () => {
    const titles = ['Close the books', 'Open the books', 'Close the books of 2025', '帳簿を締める', '帳簿を開く'];
    expect(new Set(titles.map((taskTitle) => originOf({ taskTitle }))).size).toBe(titles.length);
  });

  it('depends on the description', () => {
    const taskTitle = 'Close the books';
    expect(originOf({ taskTitle, taskDescription: 'of March' })).not.toBe(originOf({ taskTitle }));
    expect(originOf({ taskTitle, taskDescription: '' })).toBe(originOf({ taskTitle }));
  });

  it('depends on the sources, and not on their order or repetition', () => {
    const taskTitle = 'Close the books';
    const from = (...sources: string[]): string => originOf({ taskTitle, sources });
    expect(from(A)).not.toBe(from(B));
    expect(from(A)).not.toBe(from());
    expect(from(A, B)).not.toBe(from(A));
    expect(from()).toBe(originOf({ taskTitle }));
    expect(from(B, A, A)).toBe(from(A, B));
  });

  it('does not change with the order of sources or the case and punctuation of the text', () => {
    const source = fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => `sha256:${hex}`);
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(words, fc.array(source, { maxLength: 5 }), fc.constantFrom(' ', '  ', ', ', '-', '\n'), (w, s, gap) =>
        expect(originOf({ taskTitle: w.join(gap).toUpperCase(), sources: [...s].reverse() })).toBe(
          originOf({ taskTitle: w.join(' '), sources: s }),
        ),
      ),
    );
  });
});
