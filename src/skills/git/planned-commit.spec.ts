import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { programPath } from '../../platform/config/environment.js';
import { GitCommand } from './git-command.repository.js';
import type { ObjectFormat } from './git-object.js';
import { MainTrees } from './main-trees.repository.js';
import { type PlannedCommit, packCommits } from './planned-commit.js';

const planned = (writes: readonly (readonly [string, string])[], removes: string[] = []): PlannedCommit => ({
  message: 'Publish retry-once v1\n',
  author: { name: 'Ada', email: 'ada@example.test' },
  when: '2026-11-20T09:30:00.000Z',
  writes: new Map(writes),
  removes,
});

let folder: string;
const git = (...args: string[]): string => {
  const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
  const person = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
  return execFileSync('git', ['-C', folder, ...person, ...args], { encoding: 'utf8', env, stdio: 'pipe' }).trim();
};
/** Writes the pack like the commit writer, without syncing it to disk. */
async function land(commits: readonly PlannedCommit[], format: ObjectFormat = 'sha1'): Promise<string[]> {
  const command = new GitCommand(folder, { gitBinary: 'git', path: programPath() });
  const head = await command.head();
  const paths = commits.flatMap(({ writes, removes }) => [...writes.keys(), ...removes]);
  const { ids, pack } = packCommits(head, await new MainTrees(command).at(head, paths), commits, format);
  const files = pack.finish();
  writeFileSync(join(folder, '.git', 'objects', 'pack', `${files.name}.pack`), files.pack);
  writeFileSync(join(folder, '.git', 'objects', 'pack', `${files.name}.idx`), files.index);
  git('update-ref', 'refs/heads/main', ids.at(-1) ?? '');
  return ids;
}

describe('commits that are built without git', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildbook-pack-'));
    git('init', '--quiet', '--initial-branch=main');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('equal the commits that git makes of the same changes', async () => {
    const [first, second] = await land([planned([['retry-once/SKILL.md', 'é\n']]), planned([['README.md', 'x\n']])]);
    const twin = `commit refs/heads/twin\nmark :1\nauthor Ada <ada@example.test> 1795167000 +0000
committer Guildbook <guildbook@localhost> 1795167000 +0000\ndata 22\nPublish retry-once v1\nM 100644 inline retry-once/SKILL.md
data 3\né\n\nget-mark :1\ndone\n`;
    const output = execFileSync('git', ['-C', folder, 'fast-import', '--quiet', '--done'], { input: twin });
    expect(output.toString().trim()).toBe(first);
    expect(git('rev-parse', `${second}^`)).toBe(first);
    expect(git('show', '-s', '--format=%an %ae %at %cn %ct', second ?? '')).toBe(
      'Ada ada@example.test 1795167000 Guildbook 1795167000',
    );
  });

  it('contain exactly the given files for any changes, and git fsck finds no fault', async () => {
    const names = ['a', 'a-b', 'a.b', 'a0', 'b', 'README.md', '.index/a.md', '.index/a-b.md', 'b.d/e/f.md'];
    const paths = names.flatMap((name) => (name.includes('.md') ? [name] : [`${name}/SKILL.md`]));
    const line = fc.constantFrom('same\n'.repeat(200), 'other\n', 'x'.repeat(300), '');
    const change = fc.record({
      path: fc.constantFrom(...paths),
      content: fc.option(fc.tuple(line, line, line).map((lines) => lines.join(''))),
    });
    const batches = fc.array(fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        git('update-ref', '-d', 'refs/heads/main');
        const files = new Map<string, string>();
        for (const batch of all) {
          const commits = batch.map((changes) => {
            const last = new Map(changes.map(({ path, content }) => [path, content]));
            for (const [path, content] of last)
              if (content === null) files.delete(path);
              else files.set(path, content);
            const writes = [...last].flatMap(([path, content]) => (content === null ? [] : [[path, content] as const]));
            return planned(
              writes,
              [...last.keys()].filter((path) => last.get(path) === null),
            );
          });
          await land(commits);
        }
        const blob = (text: string) => createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
        const wanted = [...files].map(([path, text]) => `100644 blob ${blob(text)}\t${path}`).sort();
        expect(git('ls-tree', '-r', 'main').split('\n').filter(Boolean).sort()).toEqual(wanted);
        expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
      }),
      { numRuns: 15 },
    );
  });

  it('keep what others committed, beside the skills and in their folders', async () => {
    await land([planned([['a/SKILL.md', 'v1\n']])]);
    git('reset', '--quiet', '--hard');
    writeFileSync(join(folder, 'a', 'run.sh'), 'x\n', { mode: 0o755 });
    writeFileSync(join(folder, 'b'), 'a file of a skill’s name\n');
    git('add', '-A');
    git('commit', '--quiet', '-m', 'external');
    await land([planned([['c/SKILL.md', 'v1\n']], ['a/SKILL.md', 'b/SKILL.md', 'never/SKILL.md'])]);
    const listed = git('ls-tree', '-r', '--format=%(objectmode) %(path)', 'main').split('\n');
    expect(listed).toEqual(['100755 a/run.sh', '100644 b', '100644 c/SKILL.md']);
    await land([planned([['b/SKILL.md', 'v1\n']])]);
    expect(git('ls-tree', '-r', '--name-only', 'main')).toBe('a/run.sh\nb/SKILL.md\nc/SKILL.md');
    expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
  });

  it('store versions of a long file as deltas, short and long ones', async () => {
    const long = Array.from({ length: 20_000 }, (_, n) => createHash('sha1').update(`${n}`).digest('hex'));
    const versions = Array.from({ length: 20 }, (_, n) => long.with(n * 900, 'y'.repeat(n * 40)).join('\n'));
    const { pack } = packCommits(
      undefined,
      new Map(),
      versions.map((text) => planned([['LIST', text]])),
      'sha1',
    );
    expect(pack.finish().pack.length).toBeLessThan(1_000_000);
    await land(versions.map((text) => planned([['LIST', text]])));
    for (const [back, text] of versions.toReversed().entries())
      expect(git('show', `main~${back}:LIST`)).toBe(text.trim());
    expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
  });

  it('are named by SHA-256 in a repository of that format', async () => {
    rmSync(join(folder, '.git'), { recursive: true });
    git('init', '--quiet', '--initial-branch=main', '--object-format=sha256');
    await land([planned([['a/SKILL.md', 'v1\n']]), planned([['b/SKILL.md', 'v1\n']])], 'sha256');
    const [id] = await land([planned([['a/SKILL.md', 'v2\n']])], 'sha256');
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(git('ls-tree', '-r', '--name-only', 'main')).toBe('a/SKILL.md\nb/SKILL.md');
    expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
  });

  it.each([
    '../evil',
    '/etc/passwd',
    '.git/config',
    '.GIT/config',
    'a//b',
    'a/../b',
    'a\nb',
    'a\0b',
    '"quoted"',
    '',
    'a/.git',
  ])('refuse the path %j', (path) => {
    const pack = (commit: PlannedCommit) => () => packCommits(undefined, new Map(), [commit], 'sha1');
    expect(pack(planned([[path, 'x']]))).toThrow(TypeError);
    expect(pack(planned([], [path]))).toThrow(TypeError);
  });
});
