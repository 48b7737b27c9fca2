import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { programPath } from '../../platform/config/environment.js';
import { CommitMessage } from './commit-message.js';
import { type CommitRequest, GitRepository } from './git.repository.js';

const base = mkdtempSync(join(tmpdir(), 'guildbook-git-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const options = { gitBinary: 'git', path: programPath() };
const author = { name: 'Ada Reviewer', email: 'ada@example.test' };
const when = '2026-11-20T09:30:00.000Z';
const journal = { seq: 7, hash: 'c'.repeat(64) };
const approval = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function decision(name: string, version: number, proposalId: string, bytes: string): CommitRequest & { bytes: string } {
  const message = CommitMessage.publish({ name, version, proposalId, artifactSha256: sha256(bytes), journal });
  return { path: `${name}/SKILL.md`, bytes, message, author, when };
}

let directory: string;
let repository: GitRepository;

/** Runs git as a person would in the folder, without this machine's own configuration. */
function git(...args: string[]): string {
  const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', env }).trim();
}

function expectClean(): void {
  expect(git('fsck', '--strict', '--no-dangling')).toBe('');
  expect(git('status', '--porcelain')).toBe('');
}

beforeEach(async () => {
  directory = join(mkdtempSync(join(base, 'case-')), 'skills');
  repository = new GitRepository(directory, options);
  await repository.ensure();
});

describe('the skills repository', () => {
  it('is created on main if it is missing, also inside another repository, and ignores the file that keeps its folder', async () => {
    const outer = mkdtempSync(join(base, 'outer-'));
    execFileSync('git', ['init', '--quiet', outer]);
    directory = join(outer, 'skills');
    mkdirSync(directory);
    writeFileSync(join(directory, '.gitkeep'), '');
    const inner = new GitRepository(directory, options);
    await inner.ensure();
    await inner.ensure();
    expect(await inner.head()).toBeUndefined();
    expect(git('rev-parse', '--absolute-git-dir')).toBe(join(directory, '.git'));
    await inner.publishSkill(decision('retry-once', 1, approval(1), 'v1\n'));
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expectClean();
  });

  it('has no head before the first commit, which is known without git, unlike that of a folder that is gone', async () => {
    const withoutGit = new GitRepository(directory, { ...options, gitBinary: join(base, 'no-such-program') });
    expect(await withoutGit.head()).toBeUndefined();
    const { commit } = await repository.publishSkill(decision('retry-once', 1, approval(1), 'v1\n'));
    git('pack-refs', '--all');
    await expect(withoutGit.head()).rejects.toThrow();
    expect(await repository.head()).toBe(commit);
    rmSync(join(directory, '.git'), { recursive: true });
    await expect(repository.head()).rejects.toThrow();
  });

  it('is refused if the folder is part of another repository', async () => {
    const folder = mkdtempSync(join(base, 'part-'));
    writeFileSync(join(folder, '.git'), 'gitdir: ../elsewhere\n');
    await expect(new GitRepository(folder, options).ensure()).rejects.toThrow('another git repository');
  });
});

describe('a publication', () => {
  it('is one commit by the reviewer with exactly the approved bytes and the approval that it carries out', async () => {
    const bytes = '---\nname: "x"\n---\n\r\nnot normalised  \n';
    const { commit, created, worktree } = await repository.publishSkill(decision('retry-once', 3, approval(1), bytes));
    expect({ created, worktree }).toEqual({ created: true, worktree: 'up-to-date' });
    expect(await repository.head()).toBe(commit);
    expect(
      sha256(
        execFileSync('git', ['-C', directory, 'cat-file', 'blob', 'main:retry-once/SKILL.md'], { encoding: 'utf8' }),
      ),
    ).toBe(sha256(bytes));
    expect(await repository.read('retry-once')).toBe(bytes);
    expect(readFileSync(join(directory, 'retry-once', 'SKILL.md'), 'utf8')).toBe(bytes);
    expect(git('ls-tree', '-r', 'main')).toMatch(/^100644 blob [0-9a-f]{40}\tretry-once\/SKILL\.md$/);
    expect(git('log', '--format=%an <%ae> %aI | %cn <%ce> %cI')).toBe(
      'Ada Reviewer <ada@example.test> 2026-11-20T09:30:00+00:00 | Guildbook <guildbook@localhost> 2026-11-20T09:30:00+00:00',
    );
    expect(git('log', '--format=%B')).toBe(String(decision('retry-once', 3, approval(1), bytes).message).trim());
    expectClean();
  });

  it('of the same decision is the same commit in every repository', async () => {
    const twin = new GitRepository(join(base, 'twin'), options);
    await twin.ensure();
    const change = decision('retry-once', 1, approval(1), 'v1\n');
    expect((await twin.publishSkill(change)).commit).toBe((await repository.publishSkill(change)).commit);
  });

  it('of the same approval twice is one commit', async () => {
    const change = decision('retry-once', 1, approval(1), 'v1\n');
    const first = await repository.publishSkill(change);
    expect(await repository.publishSkill(change)).toEqual({ ...first, created: false });
    expect(git('rev-list', '--count', 'main')).toBe('1');
  });

  it('that is replayed late does not restore an old version', async () => {
    const old = decision('retry-once', 1, approval(1), 'v1\n');
    const first = await repository.publishSkill(old);
    const second = await repository.publishSkill(decision('retry-once', 2, approval(2), 'v2\n'));
    expect(await repository.publishSkill(old)).toEqual({ ...first, created: false });
    expect(await repository.head()).toBe(second.commit);
    expect(readFileSync(join(directory, 'retry-once', 'SKILL.md'), 'utf8')).toBe('v2\n');
    expectClean();
  });

  it('succeeds beside concurrent ones, in this process and in another', async () => {
    const other = new GitRepository(directory, options);
    const changes = Array.from({ length: 6 }, (_, n) => decision(`skill-${n}`, 1, approval(n), `${n}\n`));
    const done = await Promise.all(changes.map((change, n) => (n % 2 ? other : repository).publishSkill(change)));
    expect(new Set(done.map(({ commit }) => commit)).size).toBe(6);
    expect(git('rev-list', '--count', '--no-merges', 'main')).toBe('6');
    expect(git('ls-tree', '-r', '--name-only', 'main').split('\n')).toHaveLength(6);
    for (const { commit } of done) expect(git('show', '--format=', '--name-only', commit).split('\n')).toHaveLength(1);
    expectClean();
  });

  it('of one approval from two processes at the same time is one commit', async () => {
    const change = decision('retry-once', 1, approval(1), 'v1\n');
    const both = await Promise.all(
      [repository, new GitRepository(directory, options)].map((it) => it.publishSkill(change)),
    );
    expect(new Set(both.map(({ commit }) => commit)).size).toBe(1);
    expect(git('rev-list', '--count', 'main')).toBe('1');
    expectClean();
  });

  it('is not blocked by files of a killed process', async () => {
    const leave = (...path: string[]): string => {
      const file = join(directory, '.git', ...path);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, '');
      for (const old of [file, join(file, '..')]) utimesSync(old, 1_000, 1_000);
      return file;
    };
    const before = [leave('guildbook-left', 'index.lock'), leave('HEAD.lock'), leave('objects', 'pack', 'tmp_pack_1')];
    await repository.ensure();
    expect(before.filter((file) => existsSync(file))).toEqual([]);
    for (const name of ['index.lock', 'HEAD.lock', join('refs', 'heads', 'main.lock')]) leave(name);
    await repository.publishSkill(decision('retry-once', 1, approval(1), 'v1\n'));
    expect(git('rev-list', '--count', 'main')).toBe('1');
    expectClean();
  });

  it('does not take the lock of a running git, and leaves nothing half done', async () => {
    const lock = join(directory, '.git', 'refs', 'heads', 'main.lock');
    writeFileSync(lock, '');
    const change = decision('retry-once', 1, approval(1), 'v1\n');
    await expect(repository.publishSkill(change)).rejects.toThrow('could not be recorded');
    expect(existsSync(lock)).toBe(true);
    expect(existsSync(join(directory, 'retry-once'))).toBe(false);
    rmSync(lock);
    expect((await repository.publishSkill(change)).created).toBe(true);
    expectClean();
  });
});

/** The same repository through a git wrapper that logs its arguments. */
function spied(): { spy: GitRepository; calls: () => string } {
  const log = join(directory, '..', 'calls');
  const wrapper = join(directory, '..', 'git-spy');
  writeFileSync(log, '');
  writeFileSync(wrapper, `#!/bin/sh\n{ env; printf 'ARG %s\\n' "$@"; } >> '${log}'\nexec git "$@"\n`);
  chmodSync(wrapper, 0o755);
  const spy = new GitRepository(directory, { ...options, gitBinary: wrapper });
  return { spy, calls: () => readFileSync(log, 'utf8') };
}

describe('the history', () => {
  it('finds the commit of an approval by its trailer, and not by the same words in a text', async () => {
    const { commit } = await repository.publishSkill(decision('retry-once', 1, approval(1), 'v1\n'));
    const quote = `Note\n\nIt said Guildbook-Approval: ${approval(2)}\nyesterday.\n\nSeen-by: me`;
    git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--allow-empty', '-m', quote);
    expect([...(await repository.snapshot()).commits]).toEqual([[approval(1), commit]]);
  });
});

describe('the input of git', () => {
  it.each([
    ['a path that is read as an option', { path: '--upload-pack=touch pwn' }],
    ['a path outside the repository', { path: '../evil/SKILL.md' }],
    ['a path into the git folder', { path: '.git/SKILL.md' }],
    ['another file of a skill', { path: 'retry-once/run.sh' }],
    ['the path of another skill', { path: 'other/SKILL.md' }],
    ['an invalid date', { when: 'now' }],
    ['a date that git cannot hold', { when: '1969-12-31T00:00:00Z' }],
    ['bytes that were not approved', { bytes: 'v1, and more\n' }],
  ])('is never %s', async (_what, part) => {
    const { spy, calls } = spied();
    await expect(spy.publishSkill({ ...decision('retry-once', 1, approval(1), 'v1\n'), ...part })).rejects.toThrow(
      TypeError,
    );
    expect(calls()).toBe('');
  });

  it("contains no argument written by a proposal or a reviewer, and nothing of the server's environment", async () => {
    const { spy, calls } = spied();
    const hostile = { name: '--exec=touch pwn\n<chief@example.test> 0 +0000', email: '--output=pwn' };
    await spy.publishSkill({ ...decision('retry-once', 1, approval(1), '--output=pwn\n'), author: hostile });
    await spy.retireSkill(retirement('retry-once', approval(2)));
    await spy.follow(undefined, async () => new Map());
    const args = calls()
      .split('\n')
      .filter((line) => line.startsWith('ARG '));
    expect(args.length).toBeGreaterThan(50);
    expect(args.filter((arg) => /pwn|touch|chief/.test(arg))).toEqual([]);
    const names = calls()
      .split('\n')
      .flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? []);
    const shell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
    const unknown = [...new Set(names)].filter((name) => !name.startsWith('GIT_') && !shell.includes(name));
    expect(unknown.sort()).toEqual(['LC_ALL', 'PATH']);
    expect(git('log', '--format=%an <%ae>', '-1', 'main~1')).toBe(
      '--exec=touch pwn chief@example.test 0 +0000 <reviewer@localhost>',
    );
    expectClean();
  });

  it('starts no hook, filter or monitor that was put into the folder', async () => {
    const canary = join(directory, '..', 'canary');
    const script = join(directory, '.git', 'hooks', 'reference-transaction');
    mkdirSync(join(directory, '.git', 'hooks'));
    writeFileSync(script, `#!/bin/sh\ntouch '${canary}'\n`);
    chmodSync(script, 0o755);
    for (const key of ['core.fsmonitor', 'filter.x.clean', 'filter.x.smudge']) git('config', key, script);
    writeFileSync(join(directory, '.git', 'info', 'attributes'), '* filter=x\n');
    await repository.publishSkill(decision('retry-once', 1, approval(1), 'v1\n'));
    expect(existsSync(canary)).toBe(false);
    expect(await repository.read('retry-once')).toBe('v1\n');
  });
});

function retirement(name: string, proposalId: string): CommitRequest {
  const message = CommitMessage.retire({ name, proposalId, artifactSha256: 'd'.repeat(64), journal });
  return { path: `${name}/SKILL.md`, message, author, when };
}
