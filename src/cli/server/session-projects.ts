import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { importerFor, repositoryFactsIn, workingDirectoryIn } from '../../capture/formats/foreign-formats.js';
import { isHome, mainFolder, NO_PROJECT, type ProjectFacts, projectName } from '../../capture/report/agent-name.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { repositoryLabel } from '../../capture/report/repository-label.js';
import { optional } from '../../platform/base/optional.js';
import { readFailure, type Source } from '../sources/source.js';
import { MAX_LINE, openSource } from '../sources/source-text.js';

/** Lines in which a session names its folder. */
const HEAD_LINES = 50;

/** The projects of sessions on this machine. Git is asked once for each folder. */
export class SessionProjects {
  private readonly known = new Map<string, Promise<ProjectFacts>>();
  private named: Promise<Map<string, Map<string, ProjectFacts>>> | undefined;

  /** `sources`: those of the import, among which a worktree finds the repository that only its name is known of. */
  constructor(private readonly sources: readonly Source[] = []) {}

  /** `recorded`: what the session says. Git knows better, while the folder or that of its repository is there. */
  of(cwd: string | undefined, recorded: Recorded): Promise<ProjectFacts> {
    const key = JSON.stringify([cwd, recorded]);
    const found = this.known.get(key) ?? this.find(cwd, recorded);
    this.known.set(key, found);
    return found;
  }

  private async find(cwd: string | undefined, recorded: Recorded): Promise<ProjectFacts> {
    const own = await projectOf(cwd, recorded);
    if (cwd === undefined || (own.root ?? own.repository) !== undefined || !mainFolder(cwd).isElsewhere) return own;
    this.named ??= namedProjects(this.sources);
    const [only, ...others] = (await this.named).get(projectName(cwd))?.values() ?? [];
    return only === undefined || others.length > 0 ? own : { ...only, cwd };
  }
}

/** The projects whose main folder some source names, by their names. */
async function namedProjects(sources: readonly Source[]): Promise<Map<string, Map<string, ProjectFacts>>> {
  const projects = new Map<string, Map<string, ProjectFacts>>();
  for (const source of sources) {
    const head = headOf(source);
    const format = importerFor(undefined, head)?.format ?? '';
    const cwd = workingDirectoryIn(head, format);
    if (cwd === undefined || mainFolder(cwd).isElsewhere) continue;
    const { repository, root = mainFolder(cwd).path } = await projectOf(cwd, repositoryFactsIn(head, format));
    const name = projectName(root);
    const ofName = projects.get(name) ?? new Map<string, ProjectFacts>();
    projects.set(name, ofName.set(repository?.toLowerCase() ?? root, { root, ...optional('repository', repository) }));
  }
  return projects;
}

function headOf(source: Source): string[] {
  try {
    const text = openSource(source);
    try {
      const head: string[] = [];
      for (const line of text.linesAhead(MAX_LINE)) if (head.push(line) === HEAD_LINES) break;
      return head;
    } finally {
      text.close();
    }
  } catch (error) {
    if (readFailure(error) === undefined) throw error;
    return [];
  }
}

interface Recorded {
  readonly root?: string;
  readonly remote?: string;
}

async function projectOf(cwd: string | undefined, recorded: Recorded): Promise<ProjectFacts> {
  const main = recorded.root ?? (cwd === undefined ? undefined : mainFolder(cwd).path);
  const git = (await gitProject(cwd)) ?? (await gitProject(main));
  const repository = git?.repository ?? repositoryLabel(recorded.remote ?? '');
  return { cwd, ...optional('root', git?.root ?? recorded.root), ...optional('repository', repository) };
}

/** Names the project in a report as its agent does. */
export function ofProject(report: ExecutionReport, { root, repository }: ProjectFacts): ExecutionReport {
  const name = root === undefined ? NO_PROJECT : projectName(root);
  const project = name === NO_PROJECT ? undefined : name;
  if (project === undefined && repository === undefined) return report;
  const environment = { ...report.environment, ...optional('project', project) };
  const tags = report.tags?.map((tag) =>
    project !== undefined && tag.startsWith('project:') ? `project:${project}` : tag,
  );
  return {
    ...report,
    environment: { ...optional('repository', repository), ...environment },
    ...optional('tags', tags),
  };
}

const MAX_LEVELS = 30;
const MAX_CONFIG = 200_000;

/** The repository that a folder belongs to, as git's files say. */
interface GitProject {
  /** The main folder of the repository, for a worktree too. */
  readonly root: string;
  /** `owner/name` of the remote `origin`, without a host, a login and a password. */
  readonly repository?: string;
}

/**
 * The repository of a folder; undefined outside of one, and for a home folder that is one. It reads git's files and does
 * not run git, which a hostile project could make run programs.
 */
async function gitProject(cwd: string | undefined): Promise<GitProject | undefined> {
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
