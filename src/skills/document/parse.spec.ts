import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exampleLines, readExample } from './example-block.js';
import { neutralise, neutraliseCode, revertNeutralised, revertNeutralisedPlain } from './neutralise.js';
import { type ParsedSkill, type ParseNote, parseSkill } from './parse.js';
import { renderSkill } from './render.js';
import { SkillRecord } from './skill-record.schema.js';
import { revertText } from './text-blocks.js';

const record = {
  name: 'use-python3',
  title: 'Use python3',
  description: 'Use when `python` is not found.',
  condition: '`python` is about to be run.',
  action: 'Run `python3 2>&1` instead.',
  rationale: 'The image has no `python`.',
  steps: ['Write `python3`.', 'Run it again.'],
  gotchas: ['It is another version.'],
  version: 1,
  proposalId: '0b0e6c0a-3c1f-4d5e-8f70-9a1b2c3d4e5f',
  provenance: 'verified',
  cause: 'The image links only `python3`.',
  environment: [{ name: 'operating system', value: 'Debian 12' }],
  example: {
    failed: { tool: 'shell', call: 'python a.py' },
    error: 'python: not found',
    between: [],
    worked: { tool: 'shell', call: 'python3 <file>' },
  },
} satisfies SkillRecord;
const file = renderSkill(record);
const CAUSE_LINE = file.split('\n').indexOf('## Cause') + 1;
const edited = (from: string, to: string): string => {
  expect(file).toContain(from);
  return file.replace(from, to);
};

function read(bytes: string): { skill: ParsedSkill; notes: readonly ParseNote[] } {
  const parsing = parseSkill(bytes);
  if ('problems' in parsing) throw new Error(JSON.stringify(parsing.problems));
  return parsing;
}
const problemsOf = (bytes: string): string => {
  const parsing = parseSkill(bytes);
  return 'problems' in parsing ? parsing.problems.map(({ line, message }) => `${line}: ${message}`).join('\n') : '';
};

const PIECES = [
  '# ',
  '- ',
  '1. ',
  '---',
  '```',
  '~~~',
  '[a]: b',
  '](',
  '<',
  '>',
  '&lt;',
  '&',
  '!`',
  '@x',
  '\\',
  '===',
  '> ',
  '  ',
  'Why',
  '\u200b',
];
const line = (max: number) =>
  fc
    .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constant('x')), {
      minLength: 1,
      maxLength: 8,
    })
    .map((parts) => parts.join('').slice(0, max).trim());
/** Prose with blocks of code before, in and after it. */
const text = (max: number) =>
  fc
    .tuple(
      line(max),
      fc.constantFrom('```sh', '````', '~~~'),
      fc.array(line(20), { maxLength: 3 }),
      fc.constantFrom('', '\nThen stop.'),
    )
    .map(([prose, fence, lines, end]) => {
      return [prose, `${fence}`, ...lines.map((it) => `  ${it}`), fence.replace('sh', '')].join('\n') + end;
    });
const call = fc.record({ tool: fc.constantFrom('shell', 'search'), call: line(30) });
const records = fc
  .record({
    title: line(60),
    description: line(60),
    condition: line(60),
    action: text(60),
    rationale: line(60),
    steps: fc.array(text(60), { minLength: 1, maxLength: 4 }),
    gotchas: fc.array(text(60), { maxLength: 3 }),
    cause: text(60),
    environment: fc.array(fc.record({ name: line(20), value: line(20) }), { minLength: 1, maxLength: 2 }),
    example: fc.record({ failed: call, error: line(30), between: fc.array(call, { maxLength: 2 }), worked: call }),
  })
  .map((content) => SkillRecord.safeParse({ ...record, ...content }))
  .filter((parsed) => parsed.success)
  .map((parsed) => parsed.data);

describe('a file with one step', () => {
  const one = { ...record, action: 'Run `python3 2>&1`.', steps: ['Run `python3 2>&1`.'] };

  it('says it once, and is read back whole', () => {
    expect(renderSkill(one).split(one.action)).toHaveLength(2);
    expect(read(renderSkill(one))).toMatchObject({ skill: { action: one.action, steps: one.steps }, notes: [] });
    const other = { ...one, action: 'Use Python 3.' };
    expect(read(renderSkill(other))).toMatchObject({ skill: { action: other.action, steps: one.steps }, notes: [] });
  });

  it('may end as files of earlier versions do', () => {
    const [closing = ''] = /^If the same failure .*$/m.exec(file) ?? [];
    const old = 'If the failure is still there after the last step, stop and report that this skill did not help.';
    expect(read(edited(closing, old)).notes).toEqual([]);
  });
});

describe('a parsed SKILL.md', () => {
  it('equals the record that it was rendered from, without notes', () => {
    const { skill, notes } = read(file);
    const { title, description, condition, rationale, steps, gotchas } = record;
    expect(skill).toMatchObject({ title, description, condition, rationale, steps, gotchas });
    expect(skill).toMatchObject({ cause: record.cause, environment: 'operating system Debian 12' });
    expect(readExample(skill.example)).toEqual(record.example);
    expect(revertNeutralised(skill.action)).toBe(record.action);
    expect(notes).toEqual([]);
  });

  it('renders to the same bytes again, for any record', () => {
    fc.assert(
      fc.property(records, (source) => {
        const bytes = renderSkill(source);
        const { skill, notes } = read(bytes);
        const { title, description, condition, action, rationale, cause, steps, gotchas } = skill;
        const [t, c] = [revertNeutralised(title), revertNeutralised(condition)];
        const d = revertNeutralisedPlain(description);
        const again = {
          ...source,
          title: t,
          description: d,
          condition: c,
          action: revertText(action),
          rationale: revertText(rationale),
          cause: revertText(cause),
          steps: steps.map(revertText),
          gotchas: gotchas.map(revertText),
        };
        expect(skill.example).toEqual((source.example ? exampleLines(source.example) : []).map(neutraliseCode));
        expect(notes).toEqual([]);
        expect(renderSkill(again)).toBe(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps harmless text unchanged', () => {
    fc.assert(
      fc.property(line(80), (text) => {
        fc.pre(text === text.replace(/\s+/g, ' ') && !text.includes('&'));
        const shown = neutralise(text);
        expect(neutralise(revertNeutralised(shown))).toBe(shown);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, string, Partial<ParsedSkill>]>([
    ['a changed title', edited('# Use python3', '# Use python 3'), { title: 'Use python 3' }],
    [
      'a description without quotes',
      edited(`"${record.description}"`, 'Use it: always'),
      { description: 'Use it: always' },
    ],
    ['a description in single quotes', edited(`"${record.description}"`, "'It''s so.'"), { description: "It's so." }],
    ['Windows line ends', file.replaceAll('\n', '\r\n'), { title: record.title, steps: record.steps }],
    ['a byte order mark', `\ufeff${file}`, { title: record.title }],
    ['a paragraph over two lines', edited('The image has', 'The image\nhas'), { rationale: record.rationale }],
    [
      'two paragraphs',
      edited('no `python`.\n', 'no `python`.\n\nSince May.\n'),
      { rationale: `${record.rationale} Since May.` },
    ],
    [
      'steps with other marks',
      edited('1. Write `python3`.\n2. Run', '* Write `python3`.\n* Run'),
      { steps: record.steps },
    ],
    ['a step of several lines', edited('2. Run it again.', '2. Run it\n   again.'), { steps: record.steps }],
    [
      'a new step',
      edited('2. Run it', '2. Wait.\n3. Run it'),
      { steps: ['Write `python3`.', 'Wait.', 'Run it again.'] },
    ],
    ['a removed gotcha', edited('- It is another version.\n', ''), { gotchas: [] }],
    ['a heading with a colon', edited('## Why', '### why:'), { rationale: record.rationale }],
    ['another cause', edited('links only', 'has only'), { cause: 'The image has only `python3`.' }],
    ['no cause', edited(`## Cause\n\n${record.cause}\n\n`, ''), { cause: '' }],
    [
      'another environment',
      edited('Debian 12.', 'Debian 13, python 2.7.3.'),
      { environment: 'operating system Debian 13, python 2.7.3' },
    ],
    [
      'a block of code below a step',
      edited('2. Run it again.\n', '2. Run it again:\n   ```sh\n   python3 a.py\n     done\n   ```\n'),
      { steps: ['Write `python3`.', 'Run it again:\n```sh\npython3 a.py\n  done\n```'] },
    ],
    [
      'a block of code between the steps',
      edited('2. Run it again.\n', '2. Run it again.\n\n```sh\npython3 a.py\n```\n'),
      { steps: ['Write `python3`.', 'Run it again.\n```sh\npython3 a.py\n```'] },
    ],
  ])('accepts %s', (_what, bytes, expected) => {
    const { skill, notes } = read(bytes);
    expect(skill).toMatchObject(expected);
    expect(notes).toEqual([]);
  });

  it('takes a sentence at any other place as a gotcha, and notes it', () => {
    const { skill, notes } = read(`${file}\nAlso stop the server.\n`);
    expect(skill.gotchas).toEqual([...record.gotchas, 'Also stop the server.']);
    expect(notes).toEqual([
      { line: file.split('\n').length + 1, message: expect.stringContaining('gotcha'), carried: true },
    ]);
  });

  it.each([
    ['code in the condition', edited('## Cause', '```sh\nrm -rf build\n```\n\n## Cause'), /block of code/],
    ['an additional section', edited('## Cause', '## Examples\n\n- One.\n\n## Cause'), /section "Examples"/],
  ])('notes content that a record cannot hold: %s', (_what, bytes, message) => {
    const { skill, notes } = read(bytes);
    expect(skill).toMatchObject({ condition: record.condition, steps: record.steps, gotchas: record.gotchas });
    expect(notes).toEqual([{ line: CAUSE_LINE, message: expect.stringMatching(message), carried: false }]);
  });

  it.each([
    ['no frontmatter', '# Use python3\n', /1: the frontmatter/],
    [
      'a description in several lines',
      edited(`"${record.description}"`, '|\n  One.'),
      /3: description must be text on one line/,
    ],
    ['no title', edited('# Use python3', ''), /the title is missing/],
    ['no steps', file.replace(/^\d\. .*\n/gm, ''), /the list of steps is missing/],
    ['no content', '', /frontmatter/],
  ])('is refused with a reason if it has %s', (_what, bytes, problem) => {
    expect(problemsOf(bytes)).toMatch(problem);
  });

  it('is parsed in time linear in its length', () => {
    const hostile = `---\nname: x\n---\n${'- a\n  '.repeat(20_000)}${'#'.repeat(20_000)}${'`'.repeat(20_000)}`;
    expect(problemsOf(hostile)).toMatch(/description/);
  });
});
