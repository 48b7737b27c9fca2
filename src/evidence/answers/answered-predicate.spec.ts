import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matcher, predicateWith } from '../../../test/support/writer-sample.js';
import { Predicate } from '../predicate/predicate.schema.js';
import { predicateOfAnswer } from './answered-predicate.js';
import { ANSWERED_TESTS, type AnsweredPredicate } from './lesson-answer.schema.js';

const WHEN = [matcher({ tool: 'shell', error: 'boom' })];
const FOLLOW = [matcher({ args: 'new' })];
const read = (parts: Partial<AnsweredPredicate>) => predicateOfAnswer(predicateWith(parts));
const NONE = { action: [], form: [], prior: [] };
const NO_EXECUTION = { first: [], before: [], after: [], did: [] };

describe('the predicate of an answer', () => {
  it('is read with every test by its name in predicates', () => {
    const when = [
      matcher({
        tool: 'a',
        not_tool: 'b',
        action: 'c',
        not_action: 'd',
        args: 'e',
        not_args: 'f',
        error: 'g',
        ok: 'no',
      }),
    ];
    const follow = [
      matcher({
        drops: 'a',
        adds: 'b',
        error_value_in_args: '(c)',
        error_value_not_in_args: '(d)',
        sum_amounts_equals_error: '(e)',
      }),
      matcher({ same_action: 'yes', same_tool: 'TRUE', same_args: 'no' }),
    ];
    expect(read({ when, follow, within: 3 })).toEqual({
      predicate: {
        when: [
          { tool: 'a', notTool: 'b', action: 'c', notAction: 'd', args: 'e', notArgs: 'f', error: 'g', ok: false },
        ],
        follow: [
          { drops: 'a', adds: 'b', errorValueInArgs: '(c)', errorValueNotInArgs: '(d)', sumAmountsEqualsError: '(e)' },
          { sameAction: true, sameTool: true, sameArgs: false },
        ],
        within: 3,
      },
    });
  });

  it('may be about the start of an execution, or about whole executions', () => {
    const start = { action: WHEN, form: [], prior: FOLLOW };
    expect(read({ start })).toEqual({
      predicate: { start: { action: [{ tool: 'shell', error: 'boom' }], prior: [{ args: 'new' }] } },
    });
    const execution = { ...NO_EXECUTION, did: FOLLOW };
    expect(read({ execution, covers: WHEN })).toMatchObject({ predicate: { execution: { did: [{ args: 'new' }] } } });
  });

  it.each<[string, Partial<AnsweredPredicate>, RegExp]>([
    ['nothing', {}, /is empty/],
    ['what it covers alone', { covers: WHEN }, /is empty/],
    ['a failure alone', { when: WHEN }, /`when` needs `follow`/],
    ['a remedy alone', { follow: FOLLOW, start: { ...NONE, action: WHEN, form: FOLLOW } }, /`follow` needs `when`/],
    ['a matcher without a test', { when: [matcher({})], follow: FOLLOW }, /`when` has no test/],
    [
      'a test twice',
      { when: [{ tests: [...(WHEN[0]?.tests ?? []), { test: 'error', value: 'x' }] }], follow: FOLLOW },
      /two tests `error`/,
    ],
    [
      'an answer that is neither yes nor no',
      { when: WHEN, follow: [matcher({ same_action: 'maybe' })] },
      /takes yes or no, not "maybe"/,
    ],
    ['a key of every object', { when: WHEN, follow: [matcher({ ok: 'constructor' })] }, /takes yes or no/],
    [
      'an empty pattern',
      { when: [matcher({ error: '' })], follow: FOLLOW },
      /The pattern of `error` in `when` is empty/,
    ],
    [
      'a pattern that is too long',
      { when: [matcher({ error: 'a'.repeat(201) })], follow: FOLLOW },
      /`error` in `when` is longer than 200 characters/,
    ],
    ['a pattern that looks ahead', { when: [matcher({ error: 'a(?!b)' })], follow: FOLLOW }, /look-around/],
    [
      'a pattern that repeats repetitions',
      { when: [matcher({ args: '((abc){1,20}d){1,20}' })], follow: FOLLOW },
      /repeats too much/,
    ],
    ['a value pattern without a group', { when: WHEN, follow: [matcher({ error_value_in_args: 'a' })] }, /no group/],
    ['a window of a thousand calls', { when: WHEN, follow: FOLLOW, within: 1_000 }, /`within` must be from 1 to 20/],
    ['a negative window', { when: WHEN, follow: FOLLOW, within: -1 }, /`within` must be/],
    ['a start without its action', { start: { ...NONE, form: FOLLOW } }, /`start` needs `action`/],
    ['a start that teaches nothing', { start: { ...NONE, action: WHEN } }, /`start` needs `form` or `prior`/],
    ['executions that do nothing', { execution: { ...NO_EXECUTION, first: WHEN } }, /`execution` needs `did`/],
    [
      'hundreds of tests',
      { when: Array.from({ length: 40 }, () => matcher({ tool: 'a', error: 'b' })), follow: FOLLOW },
      /81 tests; at most 60/,
    ],
  ])('is refused in words if it holds %s', (_what, parts, problem) => {
    expect(read(parts)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('is a predicate that the check accepts, or a problem, for any texts', () => {
    const test = fc.record({
      test: fc.constantFrom(...(Object.keys(ANSWERED_TESTS) as (keyof typeof ANSWERED_TESTS)[])),
      value: fc.oneof(fc.string({ maxLength: 400 }), fc.constantFrom('yes', 'no', '(a)', 'b')),
    });
    const part = fc.array(fc.record({ tests: fc.array(test, { maxLength: 4 }) }), { maxLength: 3 });
    fc.assert(
      fc.property(part, part, fc.integer(), (when, follow, within) => {
        const found = read({ when, follow, within });
        if ('predicate' in found) expect(Predicate.parse(found.predicate)).toEqual(found.predicate);
        else expect(found.problem).not.toBe('');
      }),
    );
  });
});
