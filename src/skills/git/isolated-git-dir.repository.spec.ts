import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  configurationText,
  HARMLESS_SETTINGS,
  HOOKS,
  hostileSetting,
  RISKY_NAME,
  RISKY_SETTINGS,
} from '../../../test/support/git-settings.js';
import { programPath } from '../../platform/config/environment.js';
import { CommitMessage } from './commit-message.js';
import { GitRepository } from './git.repository.js';

const base = mkdtempSync(join(tmpdir(), 'guildbook-isolated-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const options = { gitBinary: 'git', path: programPath() };
const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull, GIT_TERMINAL_PROMPT: '0' };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let folder: string;
let directory: string;
let remote: string;
let canary: string;
let program: string;
let repository: GitRepository;
let listener: Server;
let connections = 0;
let address: string;
let published = 0;

const gitDir = (...path: string[]) => join(directory, '.git', ...path);
const git = (...args: string[]) =>
  execFileSync('git', ['-C', directory, '-c', 'user.name=Hand', '-c', 'user.email=hand@example.org', ...args], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

const withInput = (input: string, ...args: string[]) =>
  execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', env, input }).trim();

beforeAll(async () => {
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const bound = listener.address();
  address = `git://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}/x.git`;
});
afterAll(() => {
  listener.close();
});

beforeEach(async () => {
  folder = mkdtempSync(join(base, 'case-'));
  directory = join(folder, 'skills');
  remote = join(folder, 'remote.git');
  canary = join(folder, 'canary');
  program = join(folder, 'program');
  connections = 0;
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote], { env });
  writeFileSync(program, `#!/bin/sh\ntouch '${canary}'\n`);
  chmodSync(program, 0o755);
  repository = new GitRepository(directory, options);
  await repository.ensure();
  await publish('first-skill');
});

function publish(name: string, from = repository) {
  published += 1;
  const proposalId = `00000000-0000-4000-8000-${String(published).padStart(12, '0')}`;
  const bytes = `---\nname: ${name}\n---\n${published}\n`;
  const facts = { proposalId, artifactSha256: sha256(bytes), journal: { seq: 1, hash: 'c'.repeat(64) } };
  return from.publishSkill({
    path: `${name}/SKILL.md`,
    bytes,
    message: CommitMessage.publish({ name, version: 1, ...facts }),
    author: { name: 'Ada', email: 'ada@example.test' },
    when: '2026-11-20T09:30:00.000Z',
  });
}

/** Everything that the server does with the repository. Refusals are allowed; programs and connections are not. */
async function useRepository(): Promise<void> {
  const fresh = new GitRepository(directory, options);
  await Promise.allSettled([fresh.ensure()]);
  await Promise.allSettled([publish('second-skill', fresh)]);
  await Promise.allSettled([fresh.snapshot(), fresh.read('first-skill')]);
  const known = await fresh.head().catch(() => undefined);
  await Promise.allSettled([fresh.follow(undefined, async () => new Map())]);
  await Promise.allSettled([fresh.push(known, { remote: `file://${remote}`, branch: 'main' })]);
  await fresh.close();
}

function expectNothingRan(): void {
  expect(existsSync(canary)).toBe(false);
  expect(connections).toBe(0);
}

describe("the skills repository's configuration", () => {
  it('runs no program and reaches no address, with every key that names one', async () => {
    const plain = readFileSync(gitDir('config'), 'utf8');
    for (const where of ['config', 'config.worktree', 'included']) {
      writeFileSync(gitDir('config'), plain);
      const target = gitDir(where);
      if (where === 'included') appendFileSync(gitDir('config'), configurationText(['include.path', target]));
      for (const key of RISKY_SETTINGS.filter((one) => !/^extensions\./.test(one))) {
        appendFileSync(target, configurationText(hostileSetting(key, program, address)));
      }
      if (where === 'config.worktree') appendFileSync(gitDir('config'), '[extensions]\n\tworktreeConfig = true\n');
      const before = await repository.head();
      await useRepository();
      expectNothingRan();
      expect(await repository.head()).not.toBe(before);
    }
  });

  it('is known to us as far as the installed git names programs, paths and addresses', async () => {
    const { stdout } = await promisify(execFile)('git', ['help', '--config-for-completion'], { env });
    const known = new Set(RISKY_SETTINGS.map((key) => key.toLowerCase()));
    const unknown = stdout
      .split('\n')
      .filter((key) => RISKY_NAME.test(key) && !HARMLESS_SETTINGS.has(key) && !known.has(key.toLowerCase()));
    expect(unknown.filter((key) => !/^(?:color|advice)\./.test(key))).toEqual([]);
  });

  it('makes git run the program if git is used in the folder without this protection', () => {
    git('config', 'core.fsmonitor', program);
    execFileSync('git', ['-C', directory, 'status'], { env, stdio: 'ignore' });
    expect(existsSync(canary)).toBe(true);
  });

  it.each([
    ['partialClone', 'origin'],
    ['preciousObjects', 'true'],
    ['refStorage', 'reftable'],
    ['madeUp', 'true'],
  ])('is refused at the start with the extension %s', async (name, value) => {
    git('config', `extensions.${name}`, value);
    await expect(new GitRepository(directory, options).ensure()).rejects.toThrow('extension that is not supported');
    await expect(repository.snapshot()).rejects.toThrow(name.toLowerCase());
  });
});

describe('a part of the skills repository', () => {
  const features: readonly (readonly [string, () => void])[] = [
    [
      'hooks of every name',
      () => {
        mkdirSync(gitDir('hooks'), { recursive: true });
        for (const hook of HOOKS) cpSync(program, gitDir('hooks', hook));
      },
    ],
    [
      'attributes with drivers',
      () => {
        for (const part of ['clean', 'smudge', 'process']) git('config', `filter.canary.${part}`, program);
        for (const part of ['command', 'textconv']) git('config', `diff.canary.${part}`, program);
        git('config', 'merge.canary.driver', program);
        for (const file of [gitDir('info', 'attributes'), join(directory, '.gitattributes')])
          writeFileSync(file, '* filter=canary diff=canary merge=canary\n');
      },
    ],
    ['a mailmap', () => writeFileSync(join(directory, '.mailmap'), 'Eve <eve@example.test> <ada@example.test>\n')],
    ['http-alternates', () => writeFileSync(gitDir('objects', 'info', 'http-alternates'), `${address}\n`)],
    [
      'a missing object with a promisor',
      () => {
        git('config', 'remote.canary.url', `ext::${program}`);
        git('config', 'remote.canary.promisor', 'true');
        git('config', 'protocol.ext.allow', 'always');
        const file = `100644 blob ${'1'.repeat(40)}\tSKILL.md\n`;
        const skill = withInput(file, 'mktree', '--missing');
        const root = withInput(`040000 tree ${skill}\tlost-skill\n`, 'mktree');
        git('update-ref', 'refs/heads/main', git('commit-tree', '-m', 'x', '-p', 'main', root));
      },
    ],
    [
      'a replaced commit',
      () => git('replace', 'main', git('commit-tree', '-m', 'other', git('rev-parse', 'main^{tree}'))),
    ],
    ['a graft', () => writeFileSync(gitDir('info', 'grafts'), `${git('rev-parse', 'main')} ${'1'.repeat(40)}\n`)],
    [
      'a submodule',
      () => {
        writeFileSync(
          join(directory, '.gitmodules'),
          `[submodule "x"]\n\tpath = x\n\turl = ext::${program}\n\tupdate = !${program}\n`,
        );
        git('config', 'submodule.x.url', `ext::${program}`);
        git('config', 'submodule.recurse', 'true');
        git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},x`);
        git('add', '.gitmodules');
        git('commit', '-qm', 'a submodule');
      },
    ],
    ['sparse patterns', () => git('sparse-checkout', 'set', 'nothing')],
    ['packed references', () => git('pack-refs', '--all')],
    ['a file system monitor', () => git('config', 'core.fsmonitor', program)],
  ];

  it.each(features)('runs nothing and reaches nothing: %s', async (_name, plant) => {
    plant();
    rmSync(canary, { force: true });
    await useRepository();
    expectNothingRan();
  });

  it.each([
    ['a file in place of .git', () => movedGitDir(() => writeFileSync(gitDir(), `gitdir: ${folder}/moved\n`))],
    ['a link in place of .git', () => movedGitDir(() => symlinkSync(join(folder, 'moved'), gitDir()))],
    ['a worktree pointer', () => writeFileSync(gitDir('commondir'), `${folder}/moved\n`)],
    ['objects of another folder', () => writeFileSync(gitDir('objects', 'info', 'alternates'), `${remote}/objects\n`)],
    ['a history that is cut off', () => writeFileSync(gitDir('shallow'), `${git('rev-parse', 'main')}\n`)],
    ['linked objects', () => linked('objects')],
    ['linked packs', () => linked('objects', 'pack')],
    ['linked references', () => linked('refs')],
    ['linked branches', () => linked('refs', 'heads')],
    ['a linked configuration', () => linked('config')],
    ['a linked head', () => linked('HEAD')],
    ['a linked branch', () => linked('refs', 'heads', 'main')],
  ])('is refused with a clear error: %s', async (_name, plant) => {
    plant();
    await expect(new GitRepository(directory, options).ensure()).rejects.toThrow(/^(?:T|t)he skills folder/);
    await expect(repository.snapshot()).rejects.toThrow('The skills folder cannot be used');
    await Promise.allSettled([publish('second-skill')]);
    expectNothingRan();
  });

  function movedGitDir(plant: () => void): void {
    renameSync(gitDir(), join(folder, 'moved'));
    plant();
  }

  function linked(...part: string[]): void {
    const path = gitDir(...part);
    renameSync(path, join(folder, 'moved'));
    symlinkSync(join(folder, 'moved'), path);
  }
});

describe('an ordinary use of the folder', () => {
  it('sees the same commits, and its own commits, packed references and a SHA-256 format are read', async () => {
    git('commit', '-q', '--allow-empty', '-m', 'by hand');
    git('gc', '--quiet');
    const { commit } = await publish('second-skill');
    expect(git('rev-parse', 'main')).toBe(commit);
    expect([...(await repository.snapshot()).commits.values()]).toEqual([expect.any(String), commit]);
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
    const clone = join(folder, 'clone');
    execFileSync('git', ['clone', '--quiet', directory, clone], { env, stdio: 'ignore' });
    expect(existsSync(join(clone, 'second-skill', 'SKILL.md'))).toBe(true);
    const other = join(folder, 'other');
    execFileSync('git', ['init', '--quiet', '--object-format=sha256', '--initial-branch=main', other], { env });
    const long = new GitRepository(other, options);
    await long.ensure();
    expect((await publish('first-skill', long)).commit).toMatch(/^[0-9a-f]{64}$/);
    await long.close();
  });
});
