import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GatedLesson } from './gated-lesson.js';
import { ungroundedSpans } from './grounding.js';

const DOSSIER = `FAILURE "error: unknown option", about shipit
12 failures in 9 of 40 executions; python 3.11.2
words, failed/worked calls: --fast 90%/5%, release 100%/98%
  failed  shell shipit release --fast --target eu_west
  error   shipit: unknown option '--fast' (did you mean --quick?)
  then    shell shipit release --quick --target eu_west -> worked
  then    Edit {"path": "deploy/plan.toml", "old": "a\\nretries"} -> worked
  then    search {"query":{"max":5}} -> worked`;

const lesson = (fields: Partial<GatedLesson> = {}): GatedLesson => ({
  title: 'Release with --quick',
  condition: 'shipit says "unknown option".',
  steps: ['Run `shipit release --quick`.'],
  gotchas: [],
  ...fields,
});

const found = (fields: Partial<GatedLesson>): string[] =>
  ungroundedSpans(lesson(fields), DOSSIER).map(({ part, text }) => `${part}: ${text}`);

describe('grounding', () => {
  it.each<[string, Partial<GatedLesson>]>([
    ['options, names and versions of the evidence', { cause: 'The option of eu_west is --quick since python 3.11.2.' }],
    ['counts of the evidence', { cause: 'It failed 12 times in 9 executions, 90 % of the failed calls had --fast.' }],
    ['an option with a value', { steps: ['Pass `--target=eu_west`.'] }],
    ['placeholders', { example: { before: 'x', after: 'shipit release --quick --target <region> …' } }],
    ['words in the escapes of a quoted call', { cause: 'The edit of deploy/plan.toml changed `retries`.' }],
    ['ordinary words and products', { cause: 'JavaScript, e.g. and/or the 2nd release, cannot read it; see below.' }],
    ['keys of arguments within each other', { steps: ['Call `search query.max=5`.'] }],
    ['a digit that a name of the evidence ends in', { cause: 'It needs version 3.' }],
    ['the parts that describe the failure', { condition: 'shipit 99 with --other', gotchas: ['`tool_x` differs'] }],
  ])('accepts %s', (_, fields) => {
    expect(found(fields)).toEqual([]);
  });

  it.each<[string, Partial<GatedLesson>, string[]]>([
    ['a key that is in no other', { steps: ['Call `search query.least=5`.'] }, ['steps.0: query.least']],
    ['an invented option', { steps: ['Run `shipit release --slow`.'] }, ['steps.0: --slow']],
    ['a part of an option', { action: 'Pass --quic' }, ['action: --quic']],
    ['an invented number', { cause: 'The index is built after 45 seconds.' }, ['cause: 45']],
    ['an invented name', { cause: 'The variable SHIP_MODE is not set.' }, ['cause: SHIP_MODE']],
    ['a quoted name', { cause: 'It expects "turbo".' }, ['cause: turbo']],
    ['a program in a sentence', { steps: ['Use terraform instead.'] }, ['steps.0: terraform']],
    [
      'a program in a call',
      { example: { before: '', after: 'git commit' } },
      ['example.after: git', 'example.after: commit'],
    ],
    ['a file', { steps: ['Edit deploy/other.toml.'] }, ['steps.0: deploy/other.toml']],
    ['a percentage in any part', { gotchas: ['It works in 87 % of the cases.'] }, ['gotchas.0: 87 %']],
    ['a percentage in words', { title: 'Saves 30 percent' }, ['title: 30%']],
  ])('refuses %s', (_, fields, spans) => {
    expect(found(fields)).toEqual(spans);
  });

  it('accepts names in the printed form of a dossier, which is ASCII without backticks', () => {
    const dossier = "error   can't read 'caf  .txt' of m nchen ... use 'open' ";
    const cause = 'The name `münchen` is lost.';
    expect(ungroundedSpans(lesson({ steps: [], cause }), dossier)).toEqual([]);
  });

  it.each(['87%', '87 %', '87 percent', '87 per cent'])(
    'accepts a percentage that the evidence writes as %s',
    (written) => {
      const text = `It works in ${written} of the cases.`;
      for (const said of ['87%', '87 %', '87 percent'])
        expect(ungroundedSpans(lesson({ steps: [], gotchas: [`Works in ${said}`] }), text)).toEqual([]);
      expect(ungroundedSpans(lesson({ steps: [], gotchas: ['Works in 7 %'] }), text)).toHaveLength(1);
    },
  );

  it('accepts every span that it finds once the evidence holds it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 300 }), (cause, step) => {
        const written = { title: 'x', condition: 'x', cause, steps: [step], gotchas: [] };
        expect(ungroundedSpans(written, `${cause}\n${step}`)).toEqual([]);
      }),
      {
        numRuns: 500,
        examples: [
          ['', '0A0%'],
          ['', '0 %'],
          ['', '0...%'],
          ['', 'A/-0%'],
          ['5 per cent', ''],
        ],
      },
    );
  });

  it('takes linear time for hostile texts', () => {
    const started = performance.now();
    for (const unit of ['`', '"', '<', '[a', '1.', '--a', 'a/', "'x ", '% ', 'run ', '\\n'])
      ungroundedSpans(
        lesson({ cause: unit.repeat(500), steps: Array(20).fill(unit.repeat(500)) }),
        unit.repeat(20_000),
      );
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
