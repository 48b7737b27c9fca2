import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { repositoryLabel } from '../../capture/report/repository-label.js';

const MAX_LEVELS = 30;
const MAX_CONFIG = 200_000;

/**
 * `owner/name` of the git remote `origin` of a project's folder, without a host, a login and a password. Undefined
 * without one. It reads git's file and does not run git, which a hostile project could make run programs.
 */
export async function projectRepository(cwd: string | undefined): Promise<string | undefined> {
  if (cwd === undefined || !isAbsolute(cwd)) return undefined;
  const config = await gitConfig(cwd);
  const url = config === undefined ? undefined : originIn(config.slice(0, MAX_CONFIG));
  return url === undefined ? undefined : repositoryLabel(url);
}

async function gitConfig(cwd: string): Promise<string | undefined> {
  let folder = cwd;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const git = join(folder, '.git');
    const facts = await stat(git).catch(() => undefined);
    if (facts !== undefined) return textOf(join(facts.isDirectory() ? git : await commonFolder(git), 'config'));
    if (dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }
  return undefined;
}

/** The folder of the repository that a worktree's `.git` file points to. */
async function commonFolder(file: string): Promise<string> {
  const target = /^gitdir: (.{1,4000})$/m.exec((await textOf(file)) ?? '')?.[1]?.trim() ?? '';
  const worktree = resolve(dirname(file), target);
  const common = (await textOf(join(worktree, 'commondir')))?.trim();
  return common === undefined ? worktree : resolve(worktree, common);
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

const textOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);
