import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ListedSkill, README_PATH, repositoryFiles, repositoryReadme } from './repository-files.js';

const listed = (count: number): ListedSkill[] =>
  Array.from({ length: count }, (_, n) => {
    return { name: `skill-${String(n).padStart(5, '0')}`, description: `Use when ${n} fails.` };
  });

const readme = (skills: readonly ListedSkill[]): string => repositoryReadme(skills).get(README_PATH) ?? '';
const rows = (text: string): string[] => text.split('\n').filter((line) => line.includes('/SKILL.md)'));

describe('the README of the published repository', () => {
  it('says what it is and how each consumer installs it', () => {
    const text = readme(listed(2));
    expect(text.split(/\s+/).length).toBeGreaterThan(40);
    for (const command of [
      'claude plugin marketplace add',
      'codex plugin marketplace add',
      'gemini skills install',
      'opencode.json',
      'npx skills add',
    ]) {
      expect(text).toContain(command);
    }
  });

  it('has a row for each skill with a link to its file', () => {
    expect(rows(readme(listed(2)))).toEqual([
      '| [skill-00000](skill-00000/SKILL.md) | Use when 0 fails. |',
      '| [skill-00001](skill-00001/SKILL.md) | Use when 1 fails. |',
    ]);
    expect(readme([])).toContain('Skills (0)');
  });

  it.each([
    ['a column', 'a | b | c', 'a &#124; b &#124; c'],
    ['a line', 'a\n| b', 'a &#124; b'],
    ['a tag', '<img src=x>', '&lt;img src=x&gt;'],
    ['a link', '[here](https://example.test)', '[here]&#40;https://example.test)'],
    ['a hidden character', 'a\u202eb\u200bc', 'abc'],
  ])('shows a description that tries to make %s as plain text', (_what, description, shown) => {
    expect(rows(readme([{ name: 'retry-once', description }]))).toEqual([
      `| [retry-once](retry-once/SKILL.md) | ${shown} |`,
    ]);
  });

  it('keeps any description in its own cell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (description) => {
        const [row, ...more] = rows(readme([{ name: 'retry-once', description }]));
        expect(more).toEqual([]);
        expect(row?.match(/\|/g)).toHaveLength(3);
        expect(row).not.toMatch(/[<>\p{Cc}\p{Cf}]/u);
        expect(row?.length).toBeLessThan(1_600);
      }),
    );
  });

  it('has pages for many skills, each skill on one of them', () => {
    const skills = listed(2_000);
    const files = repositoryReadme(skills);
    const pages = [...files].filter(([path]) => path !== README_PATH);
    expect(pages.flatMap(([, text]) => rows(text))).toHaveLength(2_000);
    expect(rows(readme(skills))).toEqual([]);
    for (const [path, text] of pages) {
      expect(readme(skills)).toContain(`](${path})`);
      expect(rows(text)[0]).toContain(`](../${path.slice('.index/'.length, -'.md'.length)}/SKILL.md)`);
    }
  });

  it('changes one page and the README if a skill is added or removed between others', () => {
    const before = repositoryFiles(listed(2_000));
    const after = repositoryFiles(listed(2_000).toSpliced(1_000, 0, { name: 'skill-00999-new', description: 'New.' }));
    const changed = [...after.keys()].filter((path) => after.get(path) !== before.get(path)).sort();
    expect(changed).toHaveLength(3);
    expect(changed.slice(0, 1)).toEqual(['.claude-plugin/marketplace.json']);
    expect(changed.at(-1)).toBe(README_PATH);
  });

  it('is the same for the same skills, regardless of earlier calls', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(999), { minLength: 201, maxLength: 400 }), fc.nat(200), (numbers, gone) => {
        const skills = numbers
          .sort((a, b) => a - b)
          .map((n) => ({ name: `s${String(n).padStart(3, '0')}`, description: `${n}` }));
        repositoryReadme(skills.toSpliced(gone, 1));
        const copies = skills.map((skill) => ({ ...skill }));
        expect([...repositoryReadme(skills)]).toEqual([...repositoryReadme(copies)]);
      }),
      { numRuns: 30 },
    );
  });
});
