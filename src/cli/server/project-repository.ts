import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isHome } from '../../capture/report/agent-name.js';
import { repositoryLabel } from '../../capture/report/repository-label.js';
import { optional } from '../../platform/base/optional.js';

const MAX_LEVELS = 30;
const MAX_CONFIG = 200_000;

/** The repository that a folder belongs to, as git's files say. */
export interface GitProject {
  /** The main folder of the repository, for a worktree too. */
  readonly root: string;
  /** `owner/name` of the remote `origin`, without a host, a login and a password. */
  readonly repository?: string;
}

/**
 * The repository of a folder; undefined outside of one, and for a home folder that is one. It reads git's files and does
 * not run git, which a hostile project could make run programs.
 */
export async function gitProject(cwd: string | undefined): Promise<GitProject | undefined> {
  if (cwd === undefined || !isAbsolute(cwd)) return undefined;
  const found = await gitFolder(cwd);
  if (found === undefined || isHome(found.root)) return undefined;
  const config = await textOf(join(found.git, 'config'));
  const url = config === undefined ? undefined : originIn(config.slice(0, MAX_CONFIG));
  return { root: found.root, ...optional('repository', url === undefined ? undefined : repositoryLabel(url)) };
}

interface GitFolder {
  readonly root: string;
  readonly git: string;
}

async function gitFolder(cwd: string): Promise<GitFolder | undefined> {
  let folder = cwd;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const git = join(folder, '.git');
    const facts = await stat(git).catch(() => undefined);
    if (facts?.isDirectory() === true) return { root: folder, git };
    if (facts?.isFile() === true) return linkedFolder(folder, git);
    if (dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }
  return undefined;
}

/** The folder of git that a worktree's or a submodule's `.git` file points to. */
async function linkedFolder(folder: string, file: string): Promise<GitFolder> {
  const target = /^gitdir: (.{1,4000})$/m.exec((await textOf(file)) ?? '')?.[1]?.trim() ?? '';
  const own = resolve(dirname(file), target);
  const common = (await textOf(join(own, 'commondir')))?.trim();
  const git = common === undefined ? own : resolve(own, common);
  // A worktree of a bare repository has that as its main folder, and a submodule its own.
  const root = common === undefined ? folder : basename(git) === '.git' ? dirname(git) : git;
  return { root, git };
}

function originIn(config: string): string | undefined {
  let isOrigin = false;
  for (const line of config.split('\n')) {
    const text = line.trim();
    if (text.startsWith('[')) isOrigin = /^\[remote "origin"\]/.test(text);
    else if (isOrigin && /^url\s{0,10}=/.test(text)) return text.slice(text.indexOf('=') + 1).trim();
  }
  return undefined;
}

async function textOf(file: string): Promise<string | undefined> {
  const facts = await stat(file).catch(() => undefined);
  return facts?.isFile() === true ? readFile(file, 'utf8').catch(() => undefined) : undefined;
}
