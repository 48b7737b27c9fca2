import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { archiveOf } from './well-known.js';

it('an archive unpacks with tar to its input files, and has the same bytes each time', () => {
  const files = new Map([
    ['SKILL.md', `---\nname: "é"\n---\n${'x'.repeat(505)}`],
    ['references/why.md', ''],
    ['references/steps.md', 'y'.repeat(512)],
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-archive-'));
  try {
    writeFileSync(join(folder, 'a.tar.gz'), archiveOf(files));
    const tar = (...args: string[]) =>
      execFileSync('tar', [...args, '-f', 'a.tar.gz'], { cwd: folder, encoding: 'utf8' });
    expect(tar('-tz').trim().split('\n')).toEqual([...files.keys()]);
    tar('-xz');
    for (const [path, text] of files) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(statSync(join(folder, 'SKILL.md')).mode & 0o777).toBe(0o644);
    expect(archiveOf(files)).toEqual(archiveOf(new Map(files)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
