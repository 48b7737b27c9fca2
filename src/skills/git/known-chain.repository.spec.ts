import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { programPath } from '../../platform/config/environment.js';
import { repositoryFiles } from '../document/repository-files.js';
import { CommitMessage } from './commit-message.js';
import { GitRepository, type SkillChange } from './git.repository.js';
import type { DecisionLookup } from './known-chain.repository.js';

const base = mkdtempSync(join(tmpdir(), 'guildbook-chain-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const options = { gitBinary: 'git', path: programPath(), generated: repositoryFiles };
let directory: string;
let repository: GitRepository;
let decided: Map<string, SkillChange>;
const lookup: DecisionLookup = async (ids) => new Map([...decided].filter(([id]) => ids.includes(id)));
/** Another process, which has written nothing. */
const another = () => new GitRepository(directory, options);

function git(args: readonly string[], input: string | Buffer = '', environment: Record<string, string> = {}): string {
  const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull, ...environment };
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
  return execFileSync('git', ['-C', directory, ...identity, ...args], { encoding: 'utf8', env, input }).trim();
}

function change(name: string, n: number): SkillChange & { bytes: string } {
  const bytes = `---\nname: "${name}"\ndescription: "About ${name}"\n---\n\nVersion ${n}.\n`;
  const proposalId = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const artifactSha256 = createHash('sha256').update(bytes).digest('hex');
  const journal = { seq: n, hash: 'c'.repeat(64) };
  const made = {
    path: `${name}/SKILL.md`,
    bytes,
    author: { name: 'Ada', email: 'ada@example.test' },
    message: CommitMessage.publish({ name, version: 1, proposalId, artifactSha256, journal }),
    when: '2026-11-20T09:30:00.000Z',
  };
  decided.set(proposalId, made);
  return made;
}

async function publish(name: string, n: number): Promise<string> {
  return (await repository.publishSkill(change(name, n))).commit;
}

beforeEach(async () => {
  directory = mkdtempSync(join(base, 'case-'));
  decided = new Map();
  repository = new GitRepository(directory, options);
  await repository.ensure();
});

describe('the known history', () => {
  it('follows the decisions of this process without reading a commit, and those of another by making them again', async () => {
    const first = await publish('alpha', 1);
    const last = await publish('bravo', 2);
    const nothing: DecisionLookup = () => Promise.reject(new Error('not needed'));
    expect(await repository.follow(undefined, nothing)).toEqual({ known: last, end: undefined });
    expect(await repository.follow(first, nothing)).toEqual({ known: last, end: undefined });
    for (const known of [undefined, first, last])
      expect(await another().follow(known, lookup)).toEqual({ known: last, end: undefined });
  });

  it('follows more decisions than one batch, up to the first commit that is none', async () => {
    const names = Array.from({ length: 70 }, (_, n) => `skill-${n}`);
    const results = await Promise.all(names.map((name, n) => repository.publishSkill(change(name, n + 1))));
    git(['commit', '-q', '--allow-empty', '-m', 'mine']);
    const end = { commit: git(['rev-parse', 'HEAD']), reason: 'no-decision' };
    expect(await another().follow(undefined, lookup)).toEqual({ known: results[69]?.commit, end });
    expect(await repository.follow(undefined, lookup)).toMatchObject({ end });
    decided.delete([...decided.keys()][66] ?? '');
    expect(await another().follow(undefined, lookup)).toEqual({
      known: results[65]?.commit,
      end: { commit: results[66]?.commit, reason: 'no-decision' },
    });
  });

  const amendments: [string, () => void][] = [
    [
      'another message',
      () => git(['commit', '-q', '--amend', '-m', `${git(['log', '-1', '--format=%B'])}\nAcked-by: me`]),
    ],
    ['another author', () => git(['commit', '-q', '--amend', '--no-edit', '--author=Eve <eve@example.test>'])],
    ['another committer', () => git(['commit', '-q', '--amend', '--no-edit'])],
    ['another file', () => amend('evil.md', 'x')],
    ['another reference of the skill', () => amend('bravo/references/more.md', 'x')],
    ['other bytes', () => amend('bravo/SKILL.md', 'x')],
    ['another README', () => amend('README.md', 'x')],
    ['another skill', () => amend('alpha/SKILL.md', 'x')],
    ['an executable file', () => amend('bravo/SKILL.md')],
  ];
  /** Without a text, the file becomes executable. */
  function amend(path: string, text?: string): void {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    if (text === undefined) chmodSync(join(directory, path), 0o755);
    else writeFileSync(join(directory, path), text);
    git(['add', '-f', path]);
    commitExactly();
  }
  /** Amends with the names and dates that the server uses. */
  function commitExactly(): void {
    const names = { GIT_COMMITTER_NAME: 'Guildbook', GIT_COMMITTER_EMAIL: 'guildbook@localhost' };
    git(['commit', '-q', '--amend', '--no-edit'], '', { ...names, GIT_COMMITTER_DATE: '2026-11-20T09:30:00Z' });
  }

  it.each(amendments)('ends before an amended commit of a decision: %s', async (_what, amending) => {
    const known = await publish('alpha', 1);
    const published = await publish('bravo', 2);
    amending();
    const commit = git(['rev-parse', 'main']);
    expect(commit).not.toBe(published);
    const end = { commit, reason: 'differs' };
    for (const process of [repository, another()])
      expect(await process.follow(undefined, lookup)).toEqual({ known, end });
  });

  it('follows an amended commit that is, byte for byte, the same', async () => {
    const known = await publish('alpha', 1);
    commitExactly();
    expect(await another().follow(undefined, lookup)).toEqual({ known, end: undefined });
  });

  it('ends before a decision that is there twice, a merge and a second root', async () => {
    const known = await publish('alpha', 1);
    const tree = git(['rev-parse', 'main^{tree}']);
    const message = git(['log', '-1', '--format=%B']);
    const [twice, root] = [git(['commit-tree', tree, '-p', known], message), git(['commit-tree', tree], 'root')];
    const merge = git(['commit-tree', tree, '-p', known, '-p', root], message);
    for (const [head, reason] of [
      [twice, 'differs'],
      [merge, 'not-in-line'],
      [root, 'not-in-line'],
    ] as const) {
      git(['update-ref', 'refs/heads/main', head]);
      expect(await another().follow(known, lookup)).toMatchObject({ known, end: { reason } });
    }
  });

  it('is not what grafts or replaced objects pretend', async () => {
    const known = await publish('alpha', 1);
    git(['commit', '-q', '--allow-empty', '-m', 'mine']);
    const byHand = git(['rev-parse', 'main']);
    await publish('bravo', 2);
    const head = git(['rev-parse', 'main']);
    writeFileSync(join(directory, '.git', 'info', 'grafts'), `${head} ${known}\n`);
    expect(await another().follow(undefined, lookup)).toMatchObject({ known });
    rmSync(join(directory, '.git', 'info', 'grafts'));
    git(['replace', byHand, known]);
    expect(await another().follow(undefined, lookup)).not.toMatchObject({ known: head });
    writeFileSync(join(directory, '.git', 'shallow'), `${head}\n`);
    await expect(another().follow(undefined, lookup)).rejects.toThrow('shallow cuts off its history');
  });

  it('gets its own commits for decisions on top of others, and becomes main once the files are the same', async () => {
    const known = await publish('alpha', 1);
    appendFileSync(join(directory, 'alpha', 'SKILL.md'), 'mine\n');
    git(['commit', '-q', '-a', '-m', 'mine']);
    const byHand = await publish('bravo', 2);
    const extended = await repository.known.extend(known, [...decided.values()]);
    expect(git(['log', '--format=%s', extended ?? ''])).toBe('Publish bravo v1\nPublish alpha v1');
    expect(await another().known.extend(known, [...decided.values()])).toBe(extended);
    expect(await repository.settledHead(extended ?? '')).toBeUndefined();
    git(['checkout', '-q', known, '--', 'alpha']);
    git(['commit', '-q', '-m', 'mine no more']);
    const head = await repository.settledHead(extended ?? '');
    expect(head).toBe(git(['rev-parse', 'main']));
    expect(await repository.setAside(extended ?? '', byHand)).toBe(false);
    expect(await repository.setAside(extended ?? '', head ?? '')).toBe(true);
    expect(git(['rev-parse', 'main', `refs/guildbook/held/${head}`])).toBe(`${extended}\n${head}`);
    expect(git(['status', '--porcelain'])).toBe('');
    expect(git(['fsck', '--strict'])).toBe('');
  });
});

describe('an object that is not what its id says', () => {
  /** Writes an object under an id that is not its own. */
  function forge(id: string, kind: string, content: Buffer): void {
    const packs = join(directory, '.git', 'objects', 'pack');
    for (const name of readdirSync(packs)) renameSync(join(packs, name), join(directory, name));
    for (const name of readdirSync(directory).filter((it) => it.endsWith('.pack')))
      git(['unpack-objects', '-q'], readFileSync(join(directory, name)));
    const file = join(directory, '.git', 'objects', id.slice(0, 2), id.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content])));
  }

  it('does not become part of a commit: a folder with more files', async () => {
    await publish('alpha', 1);
    const root = git(['rev-parse', 'main^{tree}']);
    const evil = git(['hash-object', '-w', '--stdin'], 'evil');
    const more = git(['mktree'], `${git(['ls-tree', root])}\n100644 blob ${evil}\tzzz.md\n`);
    forge(root, 'tree', execFileSync('git', ['-C', directory, 'cat-file', 'tree', more]));
    await expect(another().publishSkill(change('bravo', 2))).rejects.toThrow(/not what its id says/);
  });

  it('does not become part of the list of skills: a file with another description', async () => {
    await publish('alpha', 1);
    const blob = git(['rev-parse', 'main:alpha/SKILL.md']);
    forge(blob, 'blob', Buffer.from('---\nname: "alpha"\ndescription: "forged"\n---\n'));
    await another().publishSkill(change('bravo', 2));
    expect(git(['show', 'main:README.md'])).not.toContain('forged');
  });
});
