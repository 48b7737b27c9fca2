import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { skillNameOf } from '../git/main-history.repository.js';
import { readFrontmatter, validateSkill } from './validate.js';

const file = (...lines: string[]) => `---\n${lines.join('\n')}\n---\n\n# Body\n`;
const NAME = 'name: "ok-name"';
const DESCRIPTION = 'description: "Use when it helps."';
const plain = file(NAME, DESCRIPTION);

const VALID: Record<string, [directory: string, bytes: string]> = {
  'a plain skill': ['ok-name', plain],
  'a name of one letter': ['a', file('name: "a"', DESCRIPTION)],
  'a name of digits': ['2026', file('name: "2026"', DESCRIPTION)],
  'a name of 64 characters': ['a'.repeat(64), file(`name: "${'a'.repeat(64)}"`, DESCRIPTION)],
  'a description of one character': ['ok-name', file(NAME, 'description: "x"')],
  'a description of 1024 units': ['ok-name', file(NAME, `description: "${'x'.repeat(1_024)}"`)],
  'a description with a colon': ['ok-name', file(NAME, 'description: "Use when: x"')],
  'a description with escaped hyphens': ['ok-name', file(NAME, 'description: "Use \\u002d\\u002d\\u002d when"')],
  'a description in another script': ['ok-name', file(NAME, 'description: "当测试失败时使用"')],
  'a number in quotes': ['ok-name', file(NAME, 'description: "42"')],
  'keys in another order': ['ok-name', file(DESCRIPTION, NAME)],
  'a licence': ['ok-name', file(NAME, DESCRIPTION, 'license: "Apache-2.0"')],
  'a compatibility of 500 units': ['ok-name', file(NAME, DESCRIPTION, `compatibility: "${'x'.repeat(500)}"`)],
  'flat metadata': ['ok-name', file(NAME, DESCRIPTION, 'metadata:', '  guildbook/version: "1"', '  a.b-c: "x"')],
  'metadata with a key of the format': ['ok-name', file(NAME, DESCRIPTION, 'metadata:', '  name: "x"')],
  'allowed tools': ['ok-name', file(NAME, DESCRIPTION, 'allowed-tools: "Read"')],
  'no body': ['ok-name', `---\n${NAME}\n${DESCRIPTION}\n---\n`],
  'a rule in the body': ['ok-name', `${plain}---\n`],
};

const INVALID: Record<string, [directory: string, bytes: string, error: RegExp]> = {
  'an empty file': ['ok-name', '', /must start/],
  'a byte order mark': ['ok-name', `\ufeff${plain}`, /must start/],
  'a blank line first': ['ok-name', `\n${plain}`, /must start/],
  'Windows line ends': ['ok-name', plain.replaceAll('\n', '\r\n'), /must start/],
  'frontmatter with a language': ['ok-name', plain.replace('---', '---js'), /must start/],
  'frontmatter that never ends': ['ok-name', `---\n${NAME}\n${DESCRIPTION}\n`, /never closed/],
  'no name': ['ok-name', file(DESCRIPTION), /name is missing/],
  'no description': ['ok-name', file(NAME), /description is missing/],
  'a name of another folder': ['other', plain, /name of its folder/],
  'a folder called `.`': ['.', plain, /name of its folder/],
  'an upper-case name': ['Ok-Name', file('name: "Ok-Name"', DESCRIPTION), /name must be/],
  'a name of 65 characters': ['a'.repeat(65), file(`name: "${'a'.repeat(65)}"`, DESCRIPTION), /name must be/],
  'an empty name': ['', file('name: ""', DESCRIPTION), /name must be/],
  'a hyphen first': ['-a', file('name: "-a"', DESCRIPTION), /name must be/],
  'a hyphen last': ['a-', file('name: "a-"', DESCRIPTION), /name must be/],
  'two hyphens': ['a--b', file('name: "a--b"', DESCRIPTION), /name must be/],
  'a letter with an accent': ['né', file('name: "né"', DESCRIPTION), /name must be/],
  'a look-alike letter': ['\u0430bc', file('name: "\u0430bc"', DESCRIPTION), /name must be/],
  'an underscore': ['a_b', file('name: "a_b"', DESCRIPTION), /name must be/],
  'an empty description': ['ok-name', file(NAME, 'description: ""'), /description must hold/],
  'a blank description': ['ok-name', file(NAME, 'description: "  "'), /invisible characters/],
  'a description of 1025 units': [
    'ok-name',
    file(NAME, `description: "${'x'.repeat(1_025)}"`),
    /description must hold/,
  ],
  'angle brackets': ['ok-name', file(NAME, 'description: "Use <b>"'), /angle brackets/],
  'three hyphens in a value': ['ok-name', file(NAME, 'description: "Use --- when"'), /unescaped/],
  'an escaped line end': ['ok-name', file(NAME, 'description: "a\\nb"'), /invisible characters/],
  'an escaped zero-width space': ['ok-name', file(NAME, 'description: "a\\u200bb"'), /invisible characters/],
  'an escaped lone surrogate': ['ok-name', file(NAME, 'description: "a\\ud800b"'), /invisible characters/],
  'an unquoted value': ['ok-name', file(NAME, 'description: Use when: x'), /double-quoted/],
  'a single-quoted value': ['ok-name', file(NAME, "description: 'x'"), /double-quoted/],
  'a value that is a number': ['ok-name', file(NAME, 'description: 42'), /double-quoted/],
  'a value over two lines': ['ok-name', file(NAME, 'description: "a', '  b"'), /double-quoted/],
  'a block scalar': ['ok-name', file(NAME, 'description: |', '  x'), /double-quoted/],
  'a flow list': ['ok-name', file(NAME, 'description: ["x"]'), /double-quoted/],
  'text after the quote': ['ok-name', file(NAME, 'description: "x" # y'), /double-quoted/],
  'an escape that only YAML knows': ['ok-name', file(NAME, 'description: "\\x41"'), /double-quoted/],
  'a duplicate key': ['ok-name', file(NAME, DESCRIPTION, NAME), /twice/],
  'a duplicate metadata key': ['ok-name', file(NAME, DESCRIPTION, 'metadata:', '  a: "1"', '  a: "2"'), /twice/],
  'an unknown key': ['ok-name', file(NAME, DESCRIPTION, 'version: "1"'), /unexpected field version/],
  'a merge key': ['ok-name', file(NAME, DESCRIPTION, '<<: "x"'), /not a `key/],
  'a comment': ['ok-name', file('# c', NAME, DESCRIPTION), /not a `key/],
  'a blank line': ['ok-name', file(NAME, '', DESCRIPTION), /not a `key/],
  'an indented key outside metadata': ['ok-name', file(NAME, '  a: "x"', DESCRIPTION), /not a `key/],
  'nested metadata': ['ok-name', file(NAME, DESCRIPTION, 'metadata:', '  a:', '    b: "x"'), /not a `key/],
  'a flow map as metadata': ['ok-name', file(NAME, DESCRIPTION, 'metadata: {a: "x"}'), /block of indented/],
  'metadata that is a boolean': ['ok-name', file(NAME, DESCRIPTION, 'metadata:', '  internal: true'), /double-quoted/],
  'a long compatibility': ['ok-name', file(NAME, DESCRIPTION, `compatibility: "${'x'.repeat(501)}"`), /compatibility/],
  'an empty compatibility': ['ok-name', file(NAME, DESCRIPTION, 'compatibility: ""'), /compatibility/],
};

const root = mkdtempSync(join(tmpdir(), 'guildbook-directories-'));
afterAll(() => rmSync(root, { recursive: true }));
const WRITTEN = new Set<string>();

/** Runs the validator on a directory on disk, with the name and the bytes that the file system returns. */
function validateOnDisk(title: string, directory: string, bytes: string): string[] {
  const folder = join(root, title.replace(/[^a-z0-9]+/gi, '-'), directory);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), bytes);
  WRITTEN.add(folder);
  expect(readdirSync(folder)).toContain('SKILL.md');
  return validateSkill(directory === '.' ? '.' : basename(folder), readFileSync(join(folder, 'SKILL.md'), 'utf8'));
}

describe('the validator of the Agent Skills format', () => {
  it.each(Object.entries(VALID))('accepts a directory with %s', (title, [directory, bytes]) => {
    expect(validateOnDisk(title, directory, bytes)).toEqual([]);
  });

  it.each(Object.entries(INVALID))('refuses a directory with %s', (title, [directory, bytes, error]) => {
    expect(validateOnDisk(title, directory, bytes).join('\n')).toMatch(error);
  });

  it('is tested with at least 60 directories', () => {
    expect(WRITTEN.size).toBe(Object.keys(VALID).length + Object.keys(INVALID).length);
    expect(WRITTEN.size).toBeGreaterThanOrEqual(60);
  });

  it.each([
    ['in lower case', 'ok-name/skill.md'],
    ['in upper case', 'ok-name/SKILL.MD'],
    ['one folder too deep', 'group/ok-name/SKILL.md'],
    ['in no folder', 'SKILL.md'],
    ['in a hidden folder', '.ok-name/SKILL.md'],
    ['in a folder of another script', 'n\u00e9/SKILL.md'],
    ['in the folder of a device', 'con/SKILL.md'],
    ['beside a look-alike', 'ok-name/SKILL.md.bak'],
  ])('ignores a file %s: it is not a skill', (_where, path) => {
    expect(skillNameOf('ok-name/SKILL.md')).toBe('ok-name');
    expect(skillNameOf(path)).toBeUndefined();
  });

  it('reports the line of a problem', () => {
    expect(validateSkill('ok-name', file(NAME, 'description: x'))).toEqual([
      'line 3: description must be a double-quoted string on one line',
      'description is missing',
    ]);
  });

  it('does not read the body as frontmatter', () => {
    const { entries, bodyLine } = readFrontmatter(`${plain}name: "other"\n`);
    expect(entries.map(({ key, value }) => [key, value])).toEqual([
      ['name', 'ok-name'],
      ['description', 'Use when it helps.'],
    ]);
    expect(bodyLine).toBe(5);
  });
});
