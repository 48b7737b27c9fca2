import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { filesInArchive, isSkillFile, MAX_LISTED_CHARACTERS, SkillIndex, withinBudget } from './skill-files.js';

const entry = (name: string, description = 'Use when a call fails.') => ({
  name,
  type: 'skill-md' as const,
  description,
  digest: `sha256:${'a'.repeat(64)}`,
});

interface Packed {
  readonly path: string;
  readonly text?: string;
  readonly type?: string;
  readonly size?: string;
}

/** The blocks of a tar archive: what `filesInArchive` reads of a header, and the text. */
const tarOf = (...files: readonly Packed[]): Buffer =>
  Buffer.concat([
    ...files.map(({ path, text = '', type = '0', size }) => {
      const bytes = Buffer.from(text);
      const blocks = Buffer.alloc(512 + Math.ceil(bytes.length / 512) * 512);
      blocks.write(path, 0);
      blocks.write(size ?? bytes.length.toString(8), 124);
      blocks.write(type, 156);
      bytes.copy(blocks, 512);
      return blocks;
    }),
    Buffer.alloc(1_024),
  ]);

describe('an archive of the server', () => {
  it('gives back its files, byte for byte', () => {
    const files = [
      { path: 'SKILL.md', text: `---\nname: "é"\n---\n${'x'.repeat(505)}` },
      { path: 'references/why.md', text: '' },
      { path: 'references/steps.md', text: 'y'.repeat(512) },
    ];
    const found = filesInArchive(gzipSync(tarOf(...files)));
    expect([...found].map(([path, bytes]) => ({ path, text: bytes.toString('utf8') }))).toEqual(files);
  });

  const skill = { path: 'SKILL.md', text: 'x' };
  it.each([
    ['a path that leaves the folder', tarOf({ path: '../SKILL.md' })],
    ['another file', tarOf(skill, { path: 'hooks/hooks.json', text: '{}' })],
    ['a file twice', tarOf(skill, skill)],
    ['no SKILL.md', tarOf({ path: 'references/why.md' })],
    ['a file that ends too early', tarOf(skill).subarray(0, 512)],
    ['a link', tarOf({ path: 'SKILL.md', type: '2' })],
    ['no size', tarOf({ ...skill, size: 'zzz' })],
    ['more bytes than a skill may have', Buffer.alloc(1_000_000)],
  ])('is refused if it holds %s', (_what, tar) => {
    expect(() => filesInArchive(gzipSync(tar))).toThrow(Error);
  });

  it('is refused if it is none', () => {
    expect(() => filesInArchive(Buffer.from('x'))).toThrow(Error);
  });
});

describe('the index of the server', () => {
  it.each([
    ['a name that is a path', entry('../secrets')],
    ['a name with a slash', entry('a/b')],
    ['an upper-case name', entry('Retry')],
    ['a name that begins with a hyphen', entry('-x')],
    ['a long name', entry('x'.repeat(65))],
    ['an empty description', entry('retry', '')],
    ['another digest', { ...entry('retry'), digest: 'md5:1' }],
    ['another type', { ...entry('retry'), type: 'zip' }],
  ])('is refused as a whole with %s', (_what, bad) => {
    expect(SkillIndex.safeParse({ skills: [entry('good'), bad] }).success).toBe(false);
  });

  it('names files only by the paths that a published skill has', () => {
    expect(['SKILL.md', 'references/why.md'].map(isSkillFile)).toEqual([true, true]);
    for (const path of ['/SKILL.md', '../SKILL.md', 'references/../x.md', 'references/a/b.md', 'skill.md', 'a.md', ''])
      expect(isSkillFile(path)).toBe(false);
  });
});

it('leaves out skills whose descriptions go beyond what products list, and names them', () => {
  const long = Array.from({ length: 9 }, (_, n) => entry(`skill-${n}`, 'x'.repeat(1_000)));
  const { fit, leftOut } = withinBudget([...long, entry('short')]);
  expect(fit.map(({ name }) => name)).toEqual([...long.slice(0, 7).map(({ name }) => name), 'short']);
  expect(leftOut).toEqual(['skill-7', 'skill-8']);
  const size = fit.reduce((sum, { name, description }) => sum + name.length + description.length, 0);
  expect(size).toBeLessThanOrEqual(MAX_LISTED_CHARACTERS);
});
