import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROJECT_ROOT } from '../config/config.js';
import { isSupportedNode, nodeProblem } from './node-version.js';

const FILES = ['src/main.ts', 'src/cli/main.ts', 'src/platform/start/node-version.ts'];
const read = (file: string): string => readFileSync(join(PROJECT_ROOT, file), 'utf8');

describe('the version of Node.js', () => {
  it.each(['20.19.0', '20.20.2', '22.12.0', '22.30.1', '24.0.0', 'v24.9.0'])('may be %s', (version) => {
    expect(nodeProblem(version)).toBeUndefined();
  });

  it.each(['14.21.3', '18.20.8', '20.18.3', '21.7.0', '22.11.0', '23.1.0', '25.0.0', ''])(
    'is refused in one sentence that says what to install: %s',
    (version) => {
      expect(nodeProblem(version)).toMatch(
        new RegExp(`^Guildbook needs Node\\.js 20\\.19, 22\\.12 or 24\\.0 .*this is ${version}: install .*\\.$`),
      );
    },
  );

  it('is the one that package.json names', () => {
    const { engines } = JSON.parse(read('package.json'));
    for (const range of String(engines.node).split('||')) {
      const [, major, minor] = /\^(\d+)\.(\d+)\.0/.exec(range) ?? [];
      expect(isSupportedNode(`${major}.${minor}.0`)).toBe(true);
      if (Number(minor) > 0) expect(isSupportedNode(`${major}.${Number(minor) - 1}.9`)).toBe(false);
      expect(isSupportedNode(`${Number(major) + 1}.99.0`)).toBe(false);
    }
  });

  it.each(FILES)('is checked before anything that an old Node.js cannot read: %s', (file) => {
    const imports = read(file).match(/^import .*$/gm) ?? [];
    expect(imports.filter((line) => !line.includes('platform/start/node-version.js'))).toEqual([]);
    // Assignments and calls of newer syntax, and an await outside of a function.
    expect(read(file)).not.toMatch(/\?\?=|\|\|=|&&=|\.at\(|\.findLast\(|\.replaceAll\(|static \{|#\w+[;(=]|^await /m);
  });
});
