import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { programPath } from '../../platform/config/environment.js';
import { CommitMessage } from './commit-message.js';
import { GitRepository } from './git.repository.js';
import { blobId } from './git-object.js';

const base = mkdtempSync(join(tmpdir(), 'guildbook-edits-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const path = 'retry-once/SKILL.md';
const bytes = (version: number, name = 'retry-once') =>
  `---\nname: "${name}"\ndescription: "Use when it fails."\n---\n\nVersion ${version}.\n`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let directory: string;
let file: string;
let repository: GitRepository;

function publish(version: number, name = 'retry-once') {
  const message = CommitMessage.publish({
    name,
    version,
    proposalId: `00000000-0000-4000-8000-${String(version).padStart(12, '0')}`,
    artifactSha256: sha256(bytes(version, name)),
    journal: { seq: version, hash: 'c'.repeat(64) },
  });
  const author = { name: 'Ada Reviewer', email: 'ada@example.test' };
  const when = '2026-11-20T09:30:00.000Z';
  return repository.publishSkill({ path: `${name}/SKILL.md`, bytes: bytes(version, name), message, author, when });
}

function git(...args: string[]): void {
  const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
  execFileSync('git', ['-C', directory, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { env });
}

const edits = async () => (await repository.snapshot()).edits;

beforeEach(async () => {
  directory = join(mkdtempSync(join(base, 'case-')), 'skills');
  file = join(directory, path);
  repository = new GitRepository(directory, {
    gitBinary: 'git',
    path: programPath(),
    generated: (skills) => new Map([['LIST', skills.map(({ name }) => `${name}\n`).join('')]]),
  });
  await repository.ensure();
  await publish(1);
});

describe('the snapshot of the repository', () => {
  it('holds every skill with its description and hash, and every commit of a decision', async () => {
    const { commit } = await publish(2, 'ask-first');
    const { head, tree, commits } = await repository.snapshot();
    expect(head).toBe(commit);
    expect(tree.skills.map(({ name, description, sha256: hash }) => [name, description, hash])).toEqual([
      ['ask-first', 'Use when it fails.', sha256(bytes(2, 'ask-first'))],
      ['retry-once', 'Use when it fails.', sha256(bytes(1))],
    ]);
    expect(commits.get('00000000-0000-4000-8000-000000000002')).toBe(commit);
    expect(commits.size).toBe(2);
  });

  it('is the same for a process that reads it from the start', async () => {
    await publish(2, 'ask-first');
    writeFileSync(join(directory, 'notes.txt'), 'mine\n');
    git('add', 'notes.txt');
    git('commit', '--quiet', '-m', 'external');
    const fresh = new GitRepository(directory, { gitBinary: 'git', path: programPath() });
    const [known, read] = [await repository.snapshot(), await fresh.snapshot()];
    expect(read.tree.skills).toEqual(known.tree.skills);
    expect([...read.tree.others.keys()].sort()).toEqual(['LIST', 'notes.txt']);
    expect([...known.tree.others.keys()].sort()).toEqual(['LIST', 'notes.txt']);
    expect(read.commits).toEqual(known.commits);
  });

  it('has no hash for a file that is too large to be a skill', async () => {
    mkdirSync(join(directory, 'huge'));
    writeFileSync(join(directory, 'huge', 'SKILL.md'), 'x'.repeat(1024 * 1024 + 1));
    git('add', 'huge');
    git('commit', '--quiet', '-m', 'external');
    const { tree } = await repository.snapshot();
    expect(tree.skills.find(({ name }) => name === 'huge')).toMatchObject({ sha256: undefined, description: '' });
  });
});

describe('edits in the folder', () => {
  it('are none after a publication', async () => {
    expect(await edits()).toEqual([]);
  });

  it('are found if a file is changed, replaced, deleted or added', async () => {
    await publish(2, 'ask-first');
    await publish(3, 'look-twice');
    expect(await edits()).toEqual([]);
    writeFileSync(file, 'edited externally\n');
    rmSync(join(directory, 'ask-first'), { recursive: true });
    rmSync(join(directory, 'look-twice', 'SKILL.md'));
    symlinkSync('/etc/hostname', join(directory, 'look-twice', 'SKILL.md'));
    writeFileSync(join(directory, 'retry-once', 'note.txt'), 'mine\n');
    mkdirSync(join(directory, 'draft', 'deep'), { recursive: true });
    writeFileSync(join(directory, 'LIST'), 'mine\n');
    expect(await edits()).toEqual([
      { path: 'LIST', kind: 'edited', blob: blobId('mine\n', 'sha1') },
      { path: 'ask-first/SKILL.md', kind: 'deleted', blob: undefined },
      { path: 'draft/', kind: 'unknown', blob: undefined },
      { path: 'look-twice/SKILL.md', kind: 'edited', blob: 'foreign' },
      { path, kind: 'edited', blob: blobId('edited externally\n', 'sha1') },
      { path: 'retry-once/note.txt', kind: 'unknown', blob: undefined },
    ]);
  });

  it('are not those of another branch', async () => {
    git('checkout', '--quiet', '-b', 'draft');
    writeFileSync(file, 'edited externally\n');
    expect(await edits()).toBeUndefined();
    expect(await repository.restoreFile(path, blobId('edited externally\n', 'sha1'))).toBe(false);
  });

  it('are found in a folder that has long been cached, and gone once they are undone', async () => {
    const now = performance.now.bind(performance);
    let later = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + later);
    const note = join(directory, 'retry-once', 'notes.txt');
    for (const hour of [1, 2, 3]) {
      later = hour * 3_600_000;
      expect(await edits()).toEqual([]);
    }
    writeFileSync(note, 'mine\n');
    expect(await edits()).toEqual([{ path: 'retry-once/notes.txt', kind: 'unknown', blob: undefined }]);
    mkdirSync(join(directory, 'another'));
    expect(await edits()).toMatchObject([{ path: 'another/' }, { path: 'retry-once/notes.txt' }]);
    rmSync(note);
    rmSync(join(directory, 'another'), { recursive: true });
    expect(await edits()).toEqual([]);
    rmSync(join(directory, 'retry-once'), { recursive: true });
    expect(await edits()).toMatchObject([{ path, kind: 'deleted' }]);
    clock.mockRestore();
  });

  it('are searched in short turns, so that other requests run in between', async () => {
    const skills = 200;
    for (let n = 0; n < skills; n += 1) {
      mkdirSync(join(directory, `skill-${n}`));
      writeFileSync(join(directory, `skill-${n}`, 'SKILL.md'), bytes(1, `skill-${n}`));
    }
    git('add', '.');
    git('commit', '--quiet', '-m', 'many');
    writeFileSync(join(directory, 'skill-7', 'SKILL.md'), 'edited externally\n');
    let turns = 0;
    let isLooking = true;
    const turn = (): void => {
      turns += 1;
      if (isLooking) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await edits()).toMatchObject([{ path: 'skill-7/SKILL.md', kind: 'edited' }]);
    isLooking = false;
    expect(turns).toBeGreaterThan(skills / 64);
  });

  it('start no filter that is configured in the repository', async () => {
    const canary = join(directory, '..', 'canary');
    git('config', 'filter.x.clean', `touch '${canary}'; cat`);
    writeFileSync(join(directory, '.git', 'info', 'attributes'), '* filter=x\n');
    writeFileSync(file, 'edited externally\n');
    expect(await edits()).toHaveLength(1);
    expect(existsSync(canary)).toBe(false);
  });

  it('can be read to show the difference, but not through a link', async () => {
    writeFileSync(file, 'edited externally\n');
    const bytes = Buffer.from('edited externally\n');
    expect(await repository.readEdited('retry-once')).toEqual(
      new Map([[path, { bytes, blob: blobId(bytes, 'sha1') }]]),
    );
    rmSync(file);
    expect(await repository.readEdited('retry-once')).toBeUndefined();
    symlinkSync('/etc/hostname', file);
    expect(await repository.readEdited('retry-once')).toBeUndefined();
  });
});

describe('restoring a file', () => {
  it('undoes the edit that a person saw', async () => {
    writeFileSync(file, 'edited externally\n');
    expect(await repository.restoreFile(path, blobId('edited externally\n', 'sha1'))).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(bytes(1));
    expect(await edits()).toEqual([]);
  });

  it('keeps an edit that was made later', async () => {
    writeFileSync(file, 'edited again\n');
    expect(await repository.restoreFile(path, blobId('edited externally\n', 'sha1'))).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('edited again\n');
  });

  it('restores a deleted file, but not over an existing one', async () => {
    rmSync(join(directory, 'retry-once'), { recursive: true });
    expect(await repository.restoreFile(path, undefined)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(bytes(1));
    writeFileSync(file, 'mine\n');
    expect(await repository.restoreFile(path, undefined)).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
  });

  it('creates no file that main does not hold', async () => {
    expect(await repository.restoreFile('never-there/SKILL.md', undefined)).toBe(false);
    expect(existsSync(join(directory, 'never-there'))).toBe(false);
  });
});
