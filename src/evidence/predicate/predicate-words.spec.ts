import { describe, expect, it } from '@jest/globals';
import { escapePattern, wordPattern } from '../../../test/support/plain-patterns.js';
import { predicateInWords } from './predicate-words.js';

describe('a predicate in words', () => {
  it('says which failure it is about, what follows it, and what is compared', () => {
    const words = predicateInWords({
      when: { tool: 'shell', args: wordPattern('python'), error: escapePattern('SyntaxError: invalid (syntax)') },
      follow: { sameAction: true, args: wordPattern('python3') },
    });
    expect(words).toEqual([
      'When there was a failed call of the tool `shell` with `python` with the error `SyntaxError: invalid (syntax)`.',
      'It counts as followed by a later call of the same action with `python3`.',
      'Compared with another call of the same action, within 8 calls.',
    ]);
  });

  it('names tools, alternatives and comparisons', () => {
    const words = predicateInWords({
      when: [
        { tool: 'Grep|grep|Read', error: 'not found|does not exist' },
        { notTool: 'sql', ok: false },
      ],
      follow: { sameTool: true, adds: wordPattern('--all'), notArgs: escapePattern('a`b') },
      attempt: { action: 'git push', notAction: 'cd', ok: true },
      against: { drops: 'x\\d+', errorValueNotInArgs: "'(\\w+)'" },
      within: 1,
    });
    expect(words).toEqual([
      'When there was a failed call of the tool `/Grep|grep|Read/` with the error `/not found|does not exist/`, or a failed call of another tool than `sql` that fails.',
      'It counts as followed by a later call of the same tool without "a`b" that adds `--all`.',
      'The result that counts is that of the next call of the action `git push` without the action `cd` that works.',
      "Compared with another call that leaves out `/x\\d+/` without the value in the error that is found by `/'(\\w+)'/`, within 1 call.",
    ]);
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
      'From the start of an execution: the first call of the action `sql select` of the tool `sql`.',
      'It counts as followed after a call of the action `sql describe` of the tool `sql`.',
      'By their outcome, executions with a call of the tool `sql` and with a call of the action `sql describe` of the tool `sql` before the first call of the action `sql select` of the tool `sql` are compared with the others.',
      'It is meant to prevent a failed call of the tool `sql` with the error `Unknown column`.',
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
      'When `python <py file>` has failed with "SyntaxError <more>", where `<py file>` is `a.py`, or `python <py file>` has failed.',
      "It counts as followed by a later call like `python3 <py file>` or `python <py file>` after `echo a'b`.",
      'Compared with another try for the same goal.',
    ]);
  });
});
