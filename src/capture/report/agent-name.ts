import { sha256 } from '../../platform/base/canonical-json.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { generalise } from '../../untrusted/text/generalise.js';

/*
 * A project is one repository of one owner, whichever of its folders, clones and worktrees a session works in: git names
 * it by its remote or its common folder, and else the path does. An agent is what one owner runs in one project, with
 * the sub-agents of its sessions at any depth; a program that its owner connected is one agent in all projects. An owner
 * is the person, service or team that answers for agents, and two names that differ in case are one.
 */

/** With slashes, and the letter of a drive as it is usually written: some editors give it in lower case. */
const slashed = (path: string): string =>
  path.replaceAll('\\', '/').replace(/^[a-z](?=:)/, (letter) => letter.toUpperCase());

const HOME = /^(?:[A-Za-z]:)?\/(?:Users|home)\/[^/]*\/?$|^~[^/]*\/?$|^\/root\/?$/;
export const isHome = (path: string): boolean => HOME.test(slashed(path));
/** The home folder that a path begins with. */
const BELOW_HOME = /^(?:(?:[A-Za-z]:)?\/(?:Users|home)\/[^/]+|~[^/]*|\/root)(?=\/)/;
/** `<repository>/.claude/worktrees/<name>`, `<repository>/.worktrees/<name>`, `<repository>-worktrees/<name>`. */
const WORKTREE =
  /^(.{1,2000}?)(?:\/\.[a-z-]{1,20}\/worktrees|\/\.(?:worktrees|trees)|[._-]worktrees)\/[^/]+(?:\/.*)?$/s;
/** Worktrees that a program keeps in its own folder tell the name of their repository, and not where it lies. */
const CODEX_WORKTREE = /^(.{0,2000}?)\/\.codex\/worktrees\/[^/]+\/([^/]+)(?:\/.*)?$/s;
const OTHER_WORKTREE = /^(.{0,2000}?)\/(?:\.cursor\/|\.claude-)worktrees\/([^/]+)\/[^/]+(?:\/.*)?$/s;

/**
 * The folder of the repository that a folder is a worktree of, by its path. `isElsewhere`: only the name of that folder
 * is known, so that the path is none of the file system.
 */
export function mainFolder(folder: string): { readonly path: string; readonly isElsewhere: boolean } {
  const path = slashed(folder.trim());
  const kept = CODEX_WORKTREE.exec(path) ?? OTHER_WORKTREE.exec(path);
  if (kept?.[2] !== undefined) return { path: `${kept[1]}/worktrees/${kept[2]}`, isElsewhere: true };
  const repository = WORKTREE.exec(path)?.[1];
  const isOfRepository = repository !== undefined && !HOME.test(repository);
  return { path: isOfRepository ? repository : path, isElsewhere: false };
}

/** Claude Code's folder of a project below a user's home: its path with every separator as a hyphen. */
const ENCODED_HOME = /^(?:[A-Za-z]-)?-(?:Users|home)-[^-]+(?:-|$)/;

/** The project of a folder that names none. */
export const NO_PROJECT = 'a project';

/**
 * The name of a project for titles: the last folder of its path. Never a home folder, because that is a person's name.
 */
export function projectName(cwd: string): string {
  const { path } = mainFolder(cwd);
  if (path === '' || HOME.test(path)) return NO_PROJECT;
  const name =
    path
      .replace(/\/{1,9}$/, '')
      .split('/')
      .at(-1) ?? '';
  return /^[\p{L}\p{N}._ -]{1,80}$/u.test(name) && /[\p{L}\p{N}]/u.test(name) ? name.trim() : NO_PROJECT;
}

/**
 * The name of the agent that an importer reports for. Stable, and without any folder of a user's home. `project`: one
 * agent per project directory; `file`: one per transcript, for studies where each transcript is a distinct agent.
 */
export function agentNameFor(mode: 'project' | 'file', path: string, cwd?: string): string {
  const normal = slashed(path).replace(/\/{1,9}$/, '');
  const parts = normal.split('/');
  // a sub-agent's file counts as its session's: one parent must not look like several independent agents
  const inner = parts.lastIndexOf('subagents');
  if (mode === 'file' && inner > 0) parts.splice(inner);
  if (mode === 'project') return `${slug(cwd, parts.at(-1) ?? '')}-${sha256(normal).slice(0, 8)}`;
  const stem = (parts.at(-1) ?? '').replace(/\.jsonl$/i, '');
  const session = stem
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 8);
  return `${slug(cwd, parts.at(-2) ?? '')}-${session || sha256(normal).slice(0, 8)}`;
}

/** What says which project a session works in. */
export interface ProjectFacts {
  /** The path of the transcript. */
  readonly file?: string | undefined;
  readonly cwd?: string | undefined;
  /** The main folder of the repository that git, or the session, names. */
  readonly root?: string | undefined;
  /** `owner/name` of the repository. */
  readonly repository?: string | undefined;
}

/**
 * The name of the agent of a session, one for each project, by the same rule for hooks and for imports. Undefined if
 * nothing says which.
 */
export function sessionAgentName(product: string, facts: ProjectFacts): string | undefined {
  const { repository } = facts;
  const [file, cwd] = [facts.file, facts.cwd].map((path) => (path === undefined ? undefined : slashed(path)));
  if (repository !== undefined) {
    // One name of a repository in two homes is that of two owners.
    const home = BELOW_HOME.exec(file ?? '')?.[0] ?? BELOW_HOME.exec(cwd ?? '')?.[0] ?? '';
    const key = `${home} ${repository.toLowerCase()}`;
    return `${slug(`/x/${repository}`, '')}-${sha256(key).slice(0, 8)}`;
  }
  const folder = file?.replace(/\/[^/]*$/, '').replace(/\/[^/]*\/subagents(?:\/.*)?$/, '');
  const isOfClaudeCode = product === 'claude-code' && folder !== undefined;
  const started = isOfClaudeCode ? folderNamed(folder.split('/').at(-1) ?? '', cwd) : cwd;
  const root = started === undefined ? undefined : (facts.root ?? mainFolder(started).path);
  const path = root ?? folder?.replace(ENCODED_WORKTREE, '') ?? cwd;
  return path === undefined || path === '' ? undefined : agentNameFor('project', path, root ?? cwd);
}

/** In the name of the folder that Claude Code keeps for a project: a worktree of it. */
const ENCODED_WORKTREE = /--(?:claude-)?worktrees-[^/]*$/;

/**
 * The working directory, or the folder above it, that Claude Code's folder of a project is named after. Undefined for
 * another one, and for a folder below the root, such as `/testbed`: that of a container names no project.
 */
function folderNamed(name: string, cwd = ''): string | undefined {
  let path = cwd.replaceAll('\\', '/').replace(/\/{1,9}$/, '');
  while (path.length > name.length) path = path.slice(0, path.lastIndexOf('/'));
  const isNamed = name !== '' && path.replace(/[^A-Za-z0-9]/g, '-') === name;
  return isNamed && path.split('/').length > 2 && !HOME.test(path) ? path : undefined;
}

const LONGEST_NAME = 100;

/**
 * The name of an agent as a record gives it, for formats in which each execution can be another agent's. Secrets and
 * addresses are removed; a changed name ends in a hash of the whole, so that two agents never become one.
 */
export function recordedAgentName(name: string): string {
  const clean = generalise(redact(name.slice(0, LONGEST_NAME * 10)).text)
    .replace(/[^\p{L}\p{N} ._/-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .trim();
  if (clean === name && clean !== '' && clean.length <= LONGEST_NAME) return clean;
  return `${clean.slice(0, LONGEST_NAME - 9).trim() || 'agent'}-${sha256(name).slice(0, 8)}`;
}

function slug(cwd: string | undefined, folder: string): string {
  const name = cwd === undefined || cwd === '' ? decodeFolder(folder) : projectName(cwd);
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return plain.slice(0, 40).replace(/-$/, '') || 'project';
}

/**
 * Decodes a project's folder. Hyphens and separators look alike in it, so only the last part is certainly not a
 * person's name.
 */
function decodeFolder(folder: string): string {
  if (!folder.startsWith('-') && !ENCODED_HOME.test(folder)) return projectName(folder);
  const rest = folder
    .replace(ENCODED_HOME, '')
    .split('-')
    .filter((part) => part !== '');
  return ENCODED_HOME.test(folder) && rest.length < 2 ? 'project' : (rest.at(-1) ?? 'project');
}
