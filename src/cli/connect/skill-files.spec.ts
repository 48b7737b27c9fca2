import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { archiveOf } from '../../skills/catalogue/well-known.js';
import { filesInArchive, isSkillFile, MAX_LISTED_CHARACTERS, SkillIndex, withinBudget } from './skill-files.js';

const entry = (name: string, description = 'Use when a call fails.') => ({
  name,
  type: 'skill-md' as const,
  description,
  digest: `sha256:${'a'.repeat(64)}`,
});

describe('an archive of the server', () => {
  it('gives back its files, byte for byte', () => {
    const files = new Map([
      ['SKILL.md', `---\nname: "é"\n---\n${'x'.repeat(505)}`],
      ['references/why.md', ''],
      ['references/steps.md', 'y'.repeat(512)],
    ]);
    const found = filesInArchive(archiveOf(files));
    expect(new Map([...found].map(([path, bytes]) => [path, bytes.toString('utf8')]))).toEqual(files);
  });

  it.each([
    ['a path that leaves the folder', archiveOf(new Map([['../SKILL.md', 'x']]))],
    [
      'another file',
      archiveOf(
        new Map([
          ['SKILL.md', 'x'],
          ['hooks/hooks.json', '{}'],
        ]),
      ),
    ],
    ['no SKILL.md', archiveOf(new Map([['references/why.md', 'x']]))],
    ['a file that ends too early', gzipSync(tarOf('SKILL.md', 'x').subarray(0, 512))],
    ['a link', gzipSync(tarOf('SKILL.md', '', '2'))],
    ['no size', gzipSync(tarOf('SKILL.md', 'x', '0', 'zzz'))],
    ['more bytes than a skill may have', gzipSync(Buffer.alloc(1_000_000))],
    ['something that is no archive', Buffer.from('x')],
  ])('is refused if it holds %s', (_what, archive) => {
    expect(() => filesInArchive(archive)).toThrow(Error);
  });
});

function tarOf(path: string, text: string, type = '0', size = text.length.toString(8)): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write(size, 124);
  header.write(type, 156);
  return Buffer.concat([header, Buffer.from(text.padEnd(512, '\0')), Buffer.alloc(1_024)]);
}

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
