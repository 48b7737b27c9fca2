import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { programPath } from '../../platform/config/environment.js';
import { bundleOf } from '../document/bundle.js';
import { CommitMessage } from './commit-message.js';
import { type CommitRequest, GitRepository } from './git.repository.js';
import type { Generator } from './skill-tree.js';

const base = mkdtempSync(join(tmpdir(), 'guildbook-landing-'));
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

function retirement(name: string, proposalId: string): CommitRequest {
  const message = CommitMessage.retire({ name, proposalId, artifactSha256: 'd'.repeat(64), journal });
  return { path: `${name}/SKILL.md`, message, author, when };
}

const describing = (description: string, name: string) =>
  `---\nname: "${name}"\ndescription: "${description}"\n---\n\nBody.\n`;

/** Generates a list of all skills, and a file named after the first. */
const generated: Generator = (skills) =>
  new Map([
    ['LIST', skills.map(({ name, description }) => `${name}: ${description}\n`).join('')],
    [`${skills[0]?.description ?? 'none'}.txt`, 'first\n'],
  ]);

let directory: string;
let repository: GitRepository;

function git(...args: string[]): string {
  const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', env }).trim();
}

function commitExternally(path: string): void {
  git('add', path);
  git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '-m', 'external');
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

describe('a publication', () => {
  it('updates the generated files in the same commit', async () => {
    const market = new GitRepository(directory, { ...options, generated });
    await market.publishSkill(decision('b-skill', 1, approval(1), describing('second', 'b-skill')));
    const { commit } = await market.publishSkill(decision('a-skill', 1, approval(2), describing('first', 'a-skill')));
    expect(git('show', '--format=', '--name-only', commit)).toBe('LIST\na-skill/SKILL.md\nfirst.txt');
    expect(readFileSync(join(directory, 'LIST'), 'utf8')).toBe('a-skill: first\nb-skill: second\n');
    expectClean();
  });

  it('removes files that are no longer generated, also if another process wrote them', async () => {
    const market = () => new GitRepository(directory, { ...options, generated });
    await market().publishSkill(decision('b-skill', 1, approval(1), describing('second', 'b-skill')));
    await market().publishSkill(decision('a-skill', 1, approval(2), describing('first', 'a-skill')));
    const { commit } = await market().retireSkill(retirement('a-skill', approval(3)));
    expect(git('show', '--format=', '--name-status', '--no-renames', commit)).toBe(
      'M\tLIST\nD\ta-skill/SKILL.md\nD\tfirst.txt\nA\tsecond.txt',
    );
    expect(readdirSync(directory).sort()).toEqual(['.git', 'LIST', 'b-skill', 'second.txt']);
    expectClean();
  });

  it('repairs a generated file that an external commit changed', async () => {
    const market = new GitRepository(directory, { ...options, generated });
    await market.publishSkill(decision('b-skill', 1, approval(1), describing('second', 'b-skill')));
    writeFileSync(join(directory, 'LIST'), 'mine\n');
    commitExternally('LIST');
    await market.publishSkill(decision('a-skill', 1, approval(2), describing('first', 'a-skill')));
    expect(git('show', 'main:LIST')).toBe('a-skill: first\nb-skill: second');
    expect(readFileSync(join(directory, 'LIST'), 'utf8')).toBe('a-skill: first\nb-skill: second\n');
    expectClean();
  });

  it('leaves a generated file that a person is editing, and commits its own version', async () => {
    const market = new GitRepository(directory, { ...options, generated });
    await market.publishSkill(decision('b-skill', 1, approval(1), describing('second', 'b-skill')));
    writeFileSync(join(directory, 'LIST'), 'mine\n');
    await market.publishSkill(decision('a-skill', 1, approval(2), describing('first', 'a-skill')));
    expect(readFileSync(join(directory, 'LIST'), 'utf8')).toBe('mine\n');
    expect(git('show', 'main:LIST')).toBe('a-skill: first\nb-skill: second');
  });

  it('continues from commits of others, in the folder and in another process', async () => {
    const here = new GitRepository(directory, { ...options, generated });
    const there = new GitRepository(directory, { ...options, generated });
    await here.publishSkill(decision('b-skill', 1, approval(1), describing('second', 'b-skill')));
    await there.publishSkill(decision('c-skill', 1, approval(2), describing('third', 'c-skill')));
    mkdirSync(join(directory, 'd-skill'));
    writeFileSync(join(directory, 'd-skill', 'SKILL.md'), describing('external', 'd-skill'));
    commitExternally('d-skill');
    await here.publishSkill(decision('a-skill', 1, approval(3), describing('first', 'a-skill')));
    const list = 'a-skill: first\nb-skill: second\nc-skill: third\nd-skill: external';
    expect(git('show', 'main:LIST')).toBe(list);
    expectClean();
  });

  it('is not stopped by another one that fails, which also stops later ones of its skill', async () => {
    const picky = join(directory, '..', 'picky-git');
    // The new commit and the one before are the last arguments of the call.
    const refuse = `*update-ref*) for last; do old=$new; new=$last; done; git log -p "$old" | grep -q poison && exit 1`;
    writeFileSync(picky, `#!/bin/sh\ncase "$*" in\n${refuse};;\nesac\nexec git "$@"\n`);
    chmodSync(picky, 0o755);
    const choosy = new GitRepository(directory, { ...options, gitBinary: picky });
    const results = await Promise.allSettled([
      choosy.publishSkill(decision('a-skill', 1, approval(2), 'v1\n')),
      choosy.publishSkill(decision('b-skill', 1, approval(1), 'poison\n')),
      choosy.publishSkill(decision('b-skill', 2, approval(3), 'v2\n')),
      choosy.publishSkill(decision('c-skill', 1, approval(4), 'v1\n')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(git('ls-tree', '-r', '--name-only', 'main')).toBe('a-skill/SKILL.md\nc-skill/SKILL.md');
    expectClean();
  });

  describe('of a long skill', () => {
    const long = (text: string) =>
      bundleOf(describing(text, 'a-skill'), new Map([['references/why.md', `# Why\n\n${text}\n`]]));
    const files = () => git('ls-tree', '-r', '--name-only', 'main').split('\n');
    const fresh = () => new GitRepository(directory, options);

    it('is one commit of all its files, and so are the next version and the retirement', async () => {
      const bytes = long('first');
      await repository.publishSkill(decision('a-skill', 1, approval(1), bytes));
      expect(files()).toEqual(['a-skill/SKILL.md', 'a-skill/references/why.md']);
      expect(readFileSync(join(directory, 'a-skill', 'references', 'why.md'), 'utf8')).toBe('# Why\n\nfirst\n');
      expectClean();
      for (const one of [repository, fresh()]) {
        const { tree } = await one.snapshot();
        expect(tree.skills).toMatchObject([{ name: 'a-skill', description: 'first', sha256: sha256(bytes) }]);
        expect([...tree.others.keys()]).toEqual([]);
        expect(await one.read('a-skill')).toBe(bytes);
      }
      await repository.publishSkill(decision('a-skill', 2, approval(2), describing('short', 'a-skill')));
      expect(files()).toEqual(['a-skill/SKILL.md']);
      expect(readdirSync(join(directory, 'a-skill'))).toEqual(['SKILL.md']);
      await repository.publishSkill(decision('a-skill', 3, approval(3), long('third')));
      await repository.retireSkill(retirement('a-skill', approval(4)));
      expect(files()).toEqual(['']);
      expect(readdirSync(directory)).toEqual(['.git']);
      expectClean();
    });

    it('is completed in the folder after a crash, file by file, and never over an external edit', async () => {
      const why = join(directory, 'a-skill', 'references', 'why.md');
      await repository.publishSkill(decision('a-skill', 1, approval(1), long('first')));
      await repository.publishSkill(decision('a-skill', 2, approval(2), long('second')));
      writeFileSync(why, '# Why\n\nfirst\n');
      await fresh().publishSkill(decision('a-skill', 2, approval(2), long('second')));
      expectClean();
      writeFileSync(why, 'external\n');
      await fresh().publishSkill(decision('a-skill', 2, approval(2), long('second')));
      expect(readFileSync(why, 'utf8')).toBe('external\n');
      expect((await repository.snapshot()).edits).toMatchObject([
        { path: 'a-skill/references/why.md', kind: 'edited' },
      ]);
      const edited = await repository.readEdited('a-skill');
      expect([...(edited ?? [])].map(([path, { bytes }]) => [path, bytes.toString()])).toEqual([
        ['a-skill/SKILL.md', describing('second', 'a-skill')],
        ['a-skill/references/why.md', 'external\n'],
      ]);
      await repository.retireSkill(retirement('a-skill', approval(3)));
      mkdirSync(join(directory, 'a-skill'), { recursive: true });
      writeFileSync(join(directory, 'a-skill', 'SKILL.md'), describing('second', 'a-skill'));
      await fresh().retireSkill(retirement('a-skill', approval(3)));
      expect(readdirSync(join(directory, 'a-skill'))).toEqual(['references']);
      expect(readFileSync(why, 'utf8')).toBe('external\n');
    });

    it('changes with a commit that touched one of its files, and is none without its SKILL.md', async () => {
      await repository.publishSkill(decision('a-skill', 1, approval(1), long('first')));
      writeFileSync(join(directory, 'a-skill', 'references', 'why.md'), 'external\n');
      commitExternally('a-skill/references/why.md');
      for (const one of [repository, fresh()]) {
        const [skill] = (await one.snapshot()).tree.skills;
        expect(skill?.sha256).not.toBe(sha256(long('first')));
        expect(await one.read('a-skill')).toContain('external');
      }
      git('rm', '--quiet', '--cached', 'a-skill/SKILL.md');
      commitExternally('a-skill/references/why.md');
      for (const one of [repository, fresh()]) {
        const { tree } = await one.snapshot();
        expect(tree.skills).toEqual([]);
        expect([...tree.others.keys()]).toEqual(['a-skill/references/why.md']);
      }
      git('add', 'a-skill/SKILL.md');
      commitExternally('a-skill/SKILL.md');
      for (const one of [repository, fresh()])
        expect([...((await one.snapshot()).tree.skills[0]?.files.keys() ?? [])]).toEqual([
          'SKILL.md',
          'references/why.md',
        ]);
    });
  });

  it('renames a skill in one commit, and completes the move in the folder after a crash', async () => {
    const market = new GitRepository(directory, { ...options, generated });
    const bytes = describing('new', 'new-name');
    await market.publishSkill(decision('old-name', 1, approval(1), describing('old', 'old-name')));
    const facts = { name: 'new-name', version: 2, proposalId: approval(2), artifactSha256: sha256(bytes), journal };
    const message = CommitMessage.rename({ ...facts, from: 'old-name' });
    const renaming = { path: 'new-name/SKILL.md', replaces: 'old-name/SKILL.md', bytes, message, author, when };
    const { commit } = await market.publishSkill(renaming);
    expect(git('ls-tree', '-r', '--name-only', 'main').split('\n')).toEqual(['LIST', 'new-name/SKILL.md', 'new.txt']);
    expect(git('rev-list', '--count', 'main')).toBe('2');
    expectClean();
    mkdirSync(join(directory, 'old-name'));
    writeFileSync(join(directory, 'old-name', 'SKILL.md'), describing('old', 'old-name'));
    rmSync(join(directory, 'new-name'), { recursive: true });
    const again = await new GitRepository(directory, { ...options, generated }).publishSkill(renaming);
    expect(again).toMatchObject({ commit, created: false });
    expectClean();
    await expect(market.publishSkill({ ...renaming, replaces: '../old-name/SKILL.md' })).rejects.toThrow(TypeError);
  });

  it('continues after the branch was rewound: lost decisions can be published again', async () => {
    const first = await repository.publishSkill(decision('a-skill', 1, approval(1), 'v1\n'));
    await repository.publishSkill(decision('b-skill', 1, approval(2), 'v1\n'));
    git('reset', '--quiet', '--hard', first.commit);
    expect([...(await repository.snapshot()).commits.keys()]).toEqual([approval(1)]);
    expect((await repository.publishSkill(decision('b-skill', 1, approval(2), 'v1\n'))).created).toBe(true);
    expectClean();
  });

  it('keeps one commit per decision in a large queue, and the packs are joined', async () => {
    for (let n = 0; n < 45; n++) await repository.publishSkill(decision(`skill-${n}`, 1, approval(n), `${n}\n`));
    const packs = readdirSync(join(directory, '.git', 'objects', 'pack')).filter((name) => name.endsWith('.pack'));
    expect(packs.length).toBeLessThan(40);
    expect(git('rev-list', '--count', 'main')).toBe('45');
    expectClean();
  });
});
