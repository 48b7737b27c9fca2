import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { programPath } from '../../platform/config/environment.js';
import { CommitMessage } from './commit-message.js';
import { type CommitResult, GitRepository } from './git.repository.js';

const base = mkdtempSync(join(tmpdir(), 'guildbook-worktree-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const path = 'retry-once/SKILL.md';
const signed = {
  path,
  author: { name: 'Ada Reviewer', email: 'ada@example.test' },
  when: '2026-11-20T09:30:00.000Z',
};

function facts(version: number, bytes: string) {
  return {
    name: 'retry-once',
    version,
    proposalId: `00000000-0000-4000-8000-${String(version).padStart(12, '0')}`,
    artifactSha256: createHash('sha256').update(bytes).digest('hex'),
    journal: { seq: version, hash: 'c'.repeat(64) },
  };
}

let directory: string;
let file: string;
let repository: GitRepository;

const publish = (version: number, bytes = `v${version}\n`): Promise<CommitResult> =>
  repository.publishSkill({ ...signed, bytes, message: CommitMessage.publish(facts(version, bytes)) });

const retire = (version: number): Promise<CommitResult> =>
  repository.retireSkill({ ...signed, message: CommitMessage.retire(facts(version, '')) });

function git(...args: string[]): string {
  const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', env }).trim();
}

const content = () => readFileSync(file, 'utf8');

beforeEach(async () => {
  directory = join(mkdtempSync(join(base, 'case-')), 'skills');
  file = join(directory, path);
  repository = new GitRepository(directory, { gitBinary: 'git', path: programPath() });
  await repository.ensure();
});

describe('an external edit in the skills folder', () => {
  it('is kept when a new version is published, which git still records', async () => {
    await publish(1);
    writeFileSync(file, 'edited externally\n');
    const { commit, worktree } = await publish(2);
    expect(worktree).toBe('kept-external-edit');
    expect(content()).toBe('edited externally\n');
    expect(await repository.head()).toBe(commit);
    expect(await repository.read('retry-once')).toBe('v2\n');
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expect(git('status', '--porcelain')).toBe(`M ${path}`);
    expect((await publish(2)).worktree).toBe('kept-external-edit');
  });

  it('is kept if it is a new file, a deletion or a file of a retired skill', async () => {
    mkdirSync(join(directory, 'retry-once'));
    writeFileSync(file, 'mine\n');
    expect((await publish(1)).worktree).toBe('kept-external-edit');
    expect((await retire(2)).worktree).toBe('kept-external-edit');
    expect(content()).toBe('mine\n');
    rmSync(file);
    await publish(3);
    rmSync(file);
    expect((await publish(4)).worktree).toBe('kept-external-edit');
    expect(existsSync(file)).toBe(false);
  });

  it('does not lose another edited skill, nor what is staged for it', async () => {
    await publish(1);
    const other = join(directory, 'notes.txt');
    writeFileSync(other, 'mine\n');
    git('add', 'notes.txt');
    await publish(2);
    expect(readFileSync(other, 'utf8')).toBe('mine\n');
    expect(git('status', '--porcelain')).toBe('?? notes.txt');
    expect(git('ls-tree', '-r', '--name-only', 'main')).toBe(path);
  });

  it('is left alone on another branch', async () => {
    await publish(1);
    git('checkout', '--quiet', '-b', 'draft');
    expect((await publish(2)).worktree).toBe('other-branch');
    expect(content()).toBe('v1\n');
    expect(git('status', '--porcelain')).toBe('');
    expect(await repository.read('retry-once')).toBe('v2\n');
  });

  it('cannot lead a publication out of the folder through a link', async () => {
    const outside = mkdtempSync(join(base, 'outside-'));
    writeFileSync(join(outside, 'SKILL.md'), 'theirs\n');
    symlinkSync(outside, join(directory, 'retry-once'));
    expect((await publish(1)).worktree).toBe('kept-external-edit');
    expect((await retire(2)).worktree).toBe('kept-external-edit');
    expect(readdirSync(outside)).toEqual(['SKILL.md']);
    expect(readFileSync(join(outside, 'SKILL.md'), 'utf8')).toBe('theirs\n');
  });
});

describe('a crash after the commit', () => {
  it('leaves a file and an index that the replay updates', async () => {
    await publish(1);
    const index = readFileSync(join(directory, '.git', 'index'));
    const second = await publish(2);
    writeFileSync(file, 'v1\n');
    writeFileSync(join(directory, '.git', 'index'), index);
    expect(await publish(2)).toEqual({ ...second, created: false });
    expect(content()).toBe('v2\n');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('of the first publication leaves no file, and the replay writes it', async () => {
    const first = await publish(1);
    rmSync(join(directory, 'retry-once'), { recursive: true });
    rmSync(join(directory, '.git', 'index'));
    expect(await publish(1)).toEqual({ ...first, created: false });
    expect(content()).toBe('v1\n');
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('a retired skill', () => {
  it('is removed in one commit, however often the decision is replayed', async () => {
    await publish(1);
    const retired = await retire(2);
    expect(retired).toMatchObject({ created: true, worktree: 'up-to-date' });
    expect(await retire(2)).toEqual({ ...retired, created: false });
    expect(await repository.read('retry-once')).toBeUndefined();
    expect(existsSync(join(directory, 'retry-once'))).toBe(false);
    expect(git('log', '--format=%s', 'main').split('\n')).toEqual(['Retire retry-once', 'Publish retry-once v1']);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('leaves no empty folder after a replay if the process was killed between the file and the folder', async () => {
    await publish(1);
    await retire(2);
    mkdirSync(join(directory, 'retry-once'));
    await retire(2);
    expect(existsSync(join(directory, 'retry-once'))).toBe(false);
  });

  it('keeps other files in its folder', async () => {
    await publish(1);
    const note = join(directory, 'retry-once', 'note.txt');
    writeFileSync(note, 'mine\n');
    await retire(2);
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(note, 'utf8')).toBe('mine\n');
  });

  it('leaves a commit for the decision even if it was never published', async () => {
    expect(await retire(1)).toMatchObject({ created: true, worktree: 'up-to-date' });
    expect(git('log', '--format=%s')).toBe('Retire retry-once');
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('can be published again', async () => {
    await publish(1);
    await retire(2);
    expect(await publish(3)).toMatchObject({ created: true, worktree: 'up-to-date' });
    expect(content()).toBe('v3\n');
  });
});
