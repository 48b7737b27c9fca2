import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bundleOf, filesOf, isReference } from './bundle.js';
import { lintSkill } from './lint.js';
import { parseSkill } from './parse.js';
import { renderSkill } from './render.js';
import { SKILL_BUDGET } from './skill-budget.js';
import type { SkillRecord } from './skill-record.schema.js';
import { validateSkill } from './validate.js';

const record: SkillRecord = {
  name: 'a-long-skill',
  title: 'A long skill',
  description: 'Use when it is long.',
  condition: 'It is long.',
  action: 'Do all of it.',
  rationale: 'It was measured.',
  steps: ['One.'],
  gotchas: ['Slow.'],
  version: 1,
  proposalId: '0b0e6c0a-3c1f-4d5e-8f70-9a1b2c3d4e5f',
  provenance: 'verified',
};
const steps = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => `Step ${n} ${'x'.repeat(length)}`);
const names = (artifact: string) => [...filesOf(artifact).keys()];

const safeText = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replace(/[<>]/g, ''));

describe('a skill as one text', () => {
  it('splits into the files that it was joined from', () => {
    const references = fc.dictionary(fc.stringMatching(/^references\/[a-z0-9]{1,8}(?:-[a-z0-9]{1,8})?\.md$/), safeText);
    fc.assert(
      fc.property(safeText, references, (skill, files) => {
        const byPath = new Map(Object.entries(files));
        expect(
          new Map(filesOf(bundleOf(`${skill}\n`, new Map([...byPath].map(([path, text]) => [path, `${text}\n`]))))),
        ).toEqual(
          new Map([['SKILL.md', `${skill}\n`], ...[...byPath].map(([path, text]) => [path, `${text}\n`] as const)]),
        );
      }),
    );
  });

  it('equals its SKILL.md if there is no other file', () => {
    expect(bundleOf('text\n', new Map())).toBe('text\n');
    expect(names(renderSkill(record))).toEqual(['SKILL.md']);
  });

  it.each(['references/a.md', 'references/more-than-one.md'])('may have the file %s', (path) => {
    expect(isReference(path)).toBe(true);
  });

  it.each([
    'references/a/b.md',
    'references/../a.md',
    'references/A.md',
    'references/.md',
    'scripts/a.md',
    'references/a.sh',
  ])('may not have the file %s', (path) => {
    expect(isReference(path)).toBe(false);
  });
});

describe('a long skill', () => {
  it.each<[string, Partial<SkillRecord>, string[]]>([
    ['its gotchas', { steps: steps(34, 480), gotchas: steps(10, 480) }, ['references/gotchas.md']],
    [
      'the reason too',
      { steps: steps(37, 480), gotchas: steps(10, 480), rationale: `R ${'y'.repeat(1_900)}` },
      ['references/gotchas.md', 'references/why.md'],
    ],
    [
      'its last steps',
      { steps: steps(50, 480) },
      ['references/gotchas.md', 'references/steps.md', 'references/why.md'],
    ],
    [
      'its last steps, without gotchas',
      { steps: steps(50, 480), gotchas: [] },
      ['references/steps.md', 'references/why.md'],
    ],
  ])('moves %s into reference files, and says when to open them', (_what, says, files) => {
    const artifact = renderSkill({ ...record, ...says });
    expect(names(artifact)).toEqual(['SKILL.md', ...files]);
    const skill = filesOf(artifact).get('SKILL.md') ?? '';
    for (const file of files) expect(skill).toMatch(new RegExp(`^(?:Before|When|After)[^\\n]*${file}`, 'm'));
    expect(skill.length / 4).toBeLessThan(SKILL_BUDGET.tokens);
    expect(lintSkill(artifact)).toEqual([]);
    expect(validateSkill(record.name, artifact)).toEqual([]);
  });

  it('stays below the limits of a SKILL.md even for the longest record, loses nothing, and parses back', () => {
    const text = fc.integer({ min: 1, max: 490 }).map((length) => `s ${'z'.repeat(length)}`);
    const long = fc.record({
      steps: fc.array(text, { minLength: 1, maxLength: 50 }),
      gotchas: fc.array(text, { minLength: 1, maxLength: 10 }),
      rationale: fc.integer({ min: 1, max: 1_990 }).map((length) => `r ${'z'.repeat(length)}`),
    });
    fc.assert(
      fc.property(long, (says) => {
        const artifact = renderSkill({ ...record, ...says });
        expect(lintSkill(artifact)).toEqual([]);
        expect(parseSkill(artifact)).toMatchObject({ skill: says, notes: [] });
      }),
      { numRuns: 200 },
    );
    const longest = {
      condition: 'c'.repeat(2_000),
      action: 'a'.repeat(2_000),
      rationale: 'r'.repeat(2_000),
      title: 't'.repeat(200),
    };
    const most = { ...longest, description: 'd'.repeat(600), steps: steps(50, 480), gotchas: steps(10, 480) };
    expect(lintSkill(renderSkill({ ...record, ...most }))).toEqual([]);
  });

  it('is linted in every file', () => {
    const artifact = renderSkill({ ...record, steps: steps(50, 480) });
    expect(lintSkill(artifact.replace('- Slow.', '- !`touch x`'))).toMatchObject([
      { path: 'references/gotchas.md', line: 3, rule: 'exec.inline' },
    ]);
  });
});
