import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSkillName, SKILL_NAME_LIMIT, skillSlug } from './slug.js';

// Git itself accepts 43 of these as paths (measured).
const HOSTILE_NAMES = {
  'leaves the folder': ['../evil', '..', '.', 'a/../../b', '/abs', 'a\\..\\b', 'C:evil', '%2e%2e', '..%2f', '~root'],
  'is the git folder on some system': [
    '.git',
    '.GIT',
    '.git ',
    '.git.',
    'git~1',
    '.g\u200cit',
    '.git::$INDEX_ALLOCATION',
  ],
  'is a file that git reads': ['.gitmodules', '.gitattributes', '.github'],
  'is read as an option': ['-rf', '--upload-pack=touch pwn', '-', '-a'],
  'breaks the line or ends the string': ['a\nb', 'a\tb', 'x\0y'],
  'is a device or is renamed on Windows': ['con', 'nul.txt', 'a ', 'a.'],
  'looks like another name': ['\uff41bc', '\u0430dmin', 'ad\u200bmin', 'a\u202eb', 'é', 'e\u0301', '\ud800'],
  'differs from another name by case only': ['DUP', 'A-Upper', 'SKILL.md'],
  'is too long': ['a'.repeat(300)],
  'is shell text': ['$HOME', '`id`', '"q"', "'q'", 'a;b', 'a|b'],
  'is not a word': ['__proto__', 'a--b', 'a-'],
} as const;

const HARMLESS_NAMES = ['ok-name', 'a'.repeat(64), 'dup', 'constructor'];

const hostile = Object.entries(HOSTILE_NAMES).flatMap(([why, names]) => names.map((name) => ({ why, name })));

describe('the name of a skill', () => {
  it('is tested with 55 names, of which four are valid', () => {
    expect(hostile.length + HARMLESS_NAMES.length).toBe(55);
  });

  it.each(hostile)('may not be one that $why: $name', ({ name }) => {
    expect(isSkillName(name)).toBe(false);
  });

  it.each(HARMLESS_NAMES)('may be %s', (name) => {
    expect(isSkillName(name)).toBe(true);
  });

  it.each(['hooks', 'commands', 'agents', 'skills', 'bin', 'output-styles'])(
    'may not be the folder %s of a plugin, whose files a product would run',
    (name) => {
      expect(isSkillName(name)).toBe(false);
      expect(isSkillName(skillSlug(name))).toBe(true);
    },
  );

  it.each(['', 'a'.repeat(65), 'com1', 'lpt9', 'aux', 'prn', 'a\n', 'ok-name\n'])('is refused if it is %j', (name) => {
    expect(isSkillName(name)).toBe(false);
  });
});

describe('a name made from a title', () => {
  it.each([
    ['Retry the migration once', 'retry-the-migration-once'],
    ['  Déjà vu: naïve façade!  ', 'deja-vu-naive-facade'],
    ['ＦＵＬＬ width', 'full-width'],
    ['con', 'skill-con'],
    ['LPT1', 'skill-lpt1'],
    ['读取文件', 'skill'],
    ['', 'skill'],
    ['--output=/etc/passwd', 'output-etc-passwd'],
  ])('turns %j into %s', (title, name) => {
    expect(skillSlug(title)).toBe(name);
  });

  it('ends in the disambiguator, which also separates titles without Latin letters', () => {
    expect(skillSlug('读取文件', '3F2a')).toBe('skill-3f2a');
    expect(skillSlug('con', '3f2a')).toBe('con-3f2a');
  });

  it('is cut between words and keeps the whole disambiguator', () => {
    const name = skillSlug('install the missing dependency before running the failing test again', 'ab12cd');
    expect(name).toBe('install-the-missing-dependency-before-running-the-failing-ab12cd');
    expect(name.length).toBe(SKILL_NAME_LIMIT);
    expect(skillSlug('x'.repeat(200), 'ab12cd')).toBe(`${'x'.repeat(57)}-ab12cd`);
  });

  it('is always valid, for any title and disambiguator', () => {
    const titles = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hostile.map(({ name }) => name)));
    fc.assert(fc.property(titles, fc.string({ unit: 'binary' }), (title, hint) => isSkillName(skillSlug(title, hint))));
  });
});
