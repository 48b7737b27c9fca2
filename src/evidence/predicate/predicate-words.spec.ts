import { describe, expect, it } from '@jest/globals';
import { escapePattern, wordPattern } from './pattern-text.js';
import { predicateInWords } from './predicate-words.js';

describe('a predicate in words', () => {
  it('says which failure it is about, what follows it, and what is compared', () => {
    const words = predicateInWords({
      when: { tool: 'shell', args: wordPattern('python'), error: escapePattern('SyntaxError: invalid (syntax)') },
      follow: { sameAction: true, args: wordPattern('python3') },
    });
    expect(words).toEqual([
      'When a shell call with `python` fails with an error like "SyntaxError: invalid (syntax)".',
      'It counts as followed by a later call of the same action with `python3`.',
      'Compared with another try of the same action, within 8 calls.',
    ]);
  });

  it('names tools, alternatives and comparisons', () => {
    const words = predicateInWords({
      when: [
        { tool: 'Grep|grep|Read', error: 'not found|does not exist' },
        { notTool: 'sql', ok: false },
      ],
      follow: { sameTool: true, sameArgs: false, adds: wordPattern('--all'), notArgs: escapePattern('a`b') },
      attempt: { action: 'git push', notAction: 'cd', ok: true },
      against: { drops: 'x\\d+', errorValueNotInArgs: "'(\\w+)'" },
      within: 1,
    });
    expect(words).toEqual([
      'When a call of `grep` or `Read` fails with an error like "not found" or "does not exist", or a call of a tool other than `sql` fails.',
      'It counts as followed by a later call of the same tool with other arguments without "a`b" that adds `--all`.',
      'The result that counts is that of the next call that runs `git push`, does not run `cd` and works.',
      "Compared with another try by a call without the value that the error names (`/'(\\w+)'/`) that leaves out text like `/x\\d+/`, within 1 call.",
    ]);
  });

  it('says of a condition without an error that any failure of the call counts', () => {
    const [said] = predicateInWords({
      when: [
        { tool: 'shell', action: 'python' },
        { action: 'make', ok: false },
      ],
    });
    expect(said).toBe('When a shell call that runs `python` fails, or a call that runs `make` fails.');
  });

  it('describes first calls and whole executions', () => {
    const describe = { tool: 'sql', action: 'sql describe' };
    const select = { tool: 'sql', action: 'sql select' };
    const words = predicateInWords({
      start: { action: select, prior: describe },
      execution: { where: { tool: 'sql' }, first: describe, before: select },
      covers: { tool: 'sql', error: 'Unknown column' },
    });
    expect(words).toEqual([
      'From the start of an execution: the first call of `sql` that runs `sql select`.',
      'It counts as followed if a call of `sql` that runs `sql describe` is made before it.',
      'By their outcome, executions with a call of `sql` and with a call of `sql` that runs `sql describe` before the first call of `sql` that runs `sql select` are compared with the others.',
      'It is meant to prevent that a call of `sql` fails with an error like "Unknown column".',
    ]);
  });

  it('reads what the learning core found off its patterns', () => {
    const condition = {
      tool: 'shell',
      call: ['python', { one: 'py file' }],
      error: ['SyntaxError', { any: 'more' }],
      remedy: ['python3', { one: 'py file' }],
      values: {},
      closed: { 'py file': ['a.py'] },
      said: [],
    };
    const { closed: _, ...open } = condition;
    const prepared = { ...open, closed: {}, error: [], step: ['echo', 'a`b'], remedy: condition.call };
    const claim = { key: '+python3', follow: ['+python3'], rivals: [] };
    expect(predicateInWords({ learned: { ...claim, conditions: [condition, prepared] } })).toEqual([
      'When `python <py file>` has failed with "SyntaxError <more>", where <py file> is `a.py`, or `python <py file>` has failed.',
      "It counts as followed by a later call like `python3 <py file>` or `python <py file>` after `echo a'b`.",
      'Compared with another try for the same goal.',
    ]);
  });
});
