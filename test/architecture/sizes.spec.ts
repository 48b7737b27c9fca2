import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const CHECK = new URL('../../scripts/check-sizes.mjs', import.meta.url).pathname;

describe('the check of sizes', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildbook-sizes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const check = (files: Record<string, string>) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [CHECK, 'src'], { cwd: folder, encoding: 'utf8' });
    const notes = stdout.split('\n').filter((line) => line.startsWith('note: '));
    return { status, problems: stderr.trimEnd().split('\n'), notes };
  };
  const lines = (count: number) => 'const a = 1;\n'.repeat(count);

  it('notes a file above 400 lines without failing, unless it is a table or a client', () => {
    const files = { 'src/a.ts': lines(401), 'src/b.ts': lines(400), 'src/client/c.ts': lines(401) };
    expect(check(files)).toEqual({
      status: 0,
      problems: [''],
      notes: ['note: src/a.ts: 401 lines, above 400: is it one idea?'],
    });
  });

  it('refuses functions above 80 lines, and spreads of an object literal, which do nothing', () => {
    const files = {
      'src/a.ts': `function f() {\n${lines(78)}}\nfunction g() {\n${lines(79)}}\n`,
      'src/b.ts': 'f({\n  ...{ kind, seed },\n  ...({ more }),\n});\n',
      'src/c.ts': 'f({ ...rest, ...(x ? { x } : {}), ...({ y } satisfies Y) }, ...[1, 2]);\n',
    };
    expect(check(files)).toEqual({
      status: 1,
      problems: [
        'src/a.ts:81: the function g has 81 lines; at most 80',
        'src/b.ts:2: a spread of an object literal does nothing',
        'src/b.ts:3: a spread of an object literal does nothing',
      ],
      notes: [],
    });
  });
});
