import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { programPath } from '../../platform/config/environment.js';
import { SkillsCopy } from './skills-copy.service.js';

const BINARY = { gitBinary: 'git', path: programPath() };

describe('a copy of the skills repository', () => {
  let base: string;
  let opened: SkillsCopy[];

  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
      encoding: 'utf8',
      env: { PATH: programPath() },
      stdio: 'pipe',
    }).trim();
  const skills = (name: string) => {
    const copy = new SkillsCopy(join(base, name), BINARY);
    opened.push(copy);
    return copy;
  };
  const repository = (name: string, format = 'sha1') => {
    const folder = join(base, name);
    mkdirSync(join(folder, 'a-skill'), { recursive: true });
    git(base, 'init', '-q', '-b', 'main', `--object-format=${format}`, name);
    for (const version of ['1', '2']) {
      writeFileSync(join(folder, 'a-skill', 'SKILL.md'), `version ${version}\n`);
      git(folder, 'add', '.');
      git(folder, 'commit', '-q', '-m', version);
    }
    git(folder, 'branch', 'drafts', 'HEAD~1');
    git(folder, 'update-ref', 'refs/guildbook/known', 'HEAD~1');
    return folder;
  };

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'guildbook-copy-'));
    opened = [];
  });
  afterEach(async () => {
    for (const copy of opened) await copy.close();
    rmSync(base, { recursive: true, force: true });
  });

  it.each(['sha1', 'sha256'])(
    'has all branches with their history, and becomes the same folder (%s)',
    async (format) => {
      const from = repository('from', format);
      const file = join(base, 'skills.bundle');
      const copied = await skills('from').write(file);
      expect(copied?.objectFormat).toBe(format);
      if (copied === undefined) throw new Error('there is a repository');
      const id = '00000000-0000-0000-0000-000000000001';
      await skills('to').read(file, copied, id);
      const to = join(base, 'to');
      expect(git(to, 'for-each-ref')).toBe(git(from, 'for-each-ref'));
      expect(git(to, 'log', '--all', '--oneline')).toBe(git(from, 'log', '--all', '--oneline'));
      expect(git(to, 'status', '--short')).toBe('');
      expect(readFileSync(join(to, 'a-skill', 'SKILL.md'), 'utf8')).toBe('version 2\n');
      expect(await skills('to').id()).toBe(id);
      expect((await skills('to').commits()).size).toBe(2);
    },
  );

  it('leaves out what was fetched from the remote', async () => {
    const from = repository('from');
    const kept = git(from, 'for-each-ref');
    git(from, 'commit', '-q', '--allow-empty', '-m', 'theirs');
    git(from, 'update-ref', 'refs/guildbook/remote/main', 'HEAD');
    git(from, 'reset', '-q', '--hard', 'HEAD~1');
    const copied = await skills('from').write(join(base, 'skills.bundle'));
    if (copied === undefined) throw new Error('there is a repository');
    await skills('to').read(join(base, 'skills.bundle'), copied, undefined);
    expect(git(join(base, 'to'), 'for-each-ref')).toBe(kept);
    expect((await skills('from').commits()).size).toBe(2);
  });

  it('is empty before the first commit, and nothing without a repository', async () => {
    git(base, 'init', '-q', '-b', 'main', 'new');
    const file = join(base, 'skills.bundle');
    const copied = await skills('new').write(file);
    expect(copied?.references).toEqual({});
    expect(existsSync(file)).toBe(false);
    if (copied !== undefined) await skills('to').read(file, copied, undefined);
    expect(existsSync(join(base, 'to', '.git', 'HEAD'))).toBe(true);
    expect(await skills('nowhere').write(file)).toBeUndefined();
    expect(existsSync(join(base, 'nowhere'))).toBe(false);
  });

  it('is refused if its branches are others, or if an object is missing', async () => {
    const from = repository('from');
    const file = join(base, 'skills.bundle');
    const copied = await skills('from').write(file);
    if (copied === undefined) throw new Error('there is a repository');
    const moved = {
      ...copied,
      references: { ...copied.references, 'refs/heads/main': git(from, 'rev-parse', 'drafts') },
    };
    await expect(skills('other').read(file, moved, undefined)).rejects.toThrow('branches are not those of the backup');
    // A bundle of the last commit alone needs the one before it.
    rmSync(file);
    git(from, 'bundle', 'create', '-q', file, 'refs/heads/main', '^refs/heads/drafts');
    const part = { ...copied, references: { 'refs/heads/main': git(from, 'rev-parse', 'main') } };
    await expect(skills('part').read(file, part, undefined)).rejects.toThrow();
  });

  it('writes nothing outside of its folder, whatever its trees name', async () => {
    const from = repository('from');
    const blob = git(from, 'rev-parse', 'main:a-skill/SKILL.md');
    const inner = execFileSync('git', ['-C', from, 'mktree'], { input: `100644 blob ${blob}\tescaped\n` });
    const entry = Buffer.concat([Buffer.from('40000 ..\0'), Buffer.from(inner.toString('utf8').trim(), 'hex')]);
    const tree = execFileSync('git', ['-C', from, 'hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], {
      input: entry,
    });
    const commit = git(from, 'commit-tree', tree.toString('utf8').trim(), '-m', 'hostile');
    git(from, 'update-ref', 'refs/heads/main', commit);
    const file = join(base, 'skills.bundle');
    const copied = await skills('from').write(file);
    if (copied === undefined) throw new Error('there is a repository');
    await expect(skills('to').read(file, copied, undefined)).rejects.toThrow('a file outside of its folder');
    expect(existsSync(join(base, 'escaped'))).toBe(false);
  });
});
