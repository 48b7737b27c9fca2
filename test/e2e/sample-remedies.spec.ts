import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let folder: string;

/** Where a program is; undefined if this machine does not have it. */
const pathOf = (program: string): string | undefined =>
  spawnSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim() || undefined;

/** Runs a line in the folder. `only`: programs that are installed; without it those of this machine. */
function run(line: string, only?: string): { readonly code: number | null; readonly said: string } {
  const PATH = only ?? process.env['PATH'] ?? '';
  const { status, stderr, stdout } = spawnSync(pathOf('bash') ?? 'bash', ['-c', line], {
    cwd: folder,
    env: { HOME: folder, PATH, LC_ALL: 'C' },
    encoding: 'utf8',
  });
  return { code: status, said: stdout + stderr };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-remedies-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the failures of the sample fleet are those of real programs', () => {
  it('an image without python says so, and python3 runs the script', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(folder, 'rates.py'), 'print(f"{31} rates")\n');
    // The interpreter of this machine; without one, what shows that its name is found.
    writeFileSync(join(bin, 'python3'), `#!/bin/sh\n${pathOf('python3') ?? 'echo 31 rates #'} "$@"\n`);
    chmodSync(join(bin, 'python3'), 0o755);
    const failed = run('python rates.py', bin);
    expect(failed.code).toBe(127);
    expect(failed.said).toMatch(/line 1: python: command not found$/m);
    expect(run('python3 rates.py', `${bin}:${process.env['PATH']}`)).toEqual({ code: 0, said: '31 rates\n' });
  });

  it('an image with the plugin alone does not know docker-compose', () => {
    const failed = run('docker-compose up -d db', join(folder, 'nothing'));
    expect(failed.code).toBe(127);
    expect(failed.said).toMatch(/line 1: docker-compose: command not found$/m);
  });

  it('a check that reads a database fails until another target has built it', () => {
    // A user of `npm test` may have no make; the run before a merge installs it.
    if (pathOf('make') === undefined) return expect(run('make verify').code).toBe(127);
    const [failed, prepared] = ['make verify', 'make fixtures'].map((line) => makefile(line));
    expect(failed?.code).toBe(2);
    expect(failed?.said).toMatch(
      /^verify: build\/fixtures\.db: no such file\nmake: \*\*\* \[Makefile:\d+: verify\] Error 1$/m,
    );
    expect(prepared?.code).toBe(0);
    expect(makefile('make verify')).toEqual({ code: 0, said: 'verify: 212 rows as expected\n' });
  });
});

const MAKEFILE = `fixtures:
\t@mkdir -p build && echo 212 > build/fixtures.db
verify:
\t@test -f build/fixtures.db || { echo 'verify: build/fixtures.db: no such file' >&2; exit 1; }
\t@echo "verify: $$(cat build/fixtures.db) rows as expected"
`;

function makefile(line: string) {
  writeFileSync(join(folder, 'Makefile'), MAKEFILE);
  return run(line);
}
