import { sha256 } from '../../platform/base/canonical-json.js';

const HOME = /^(?:[A-Za-z]:)?\/(?:Users|home)\/[^/]*\/?$|^~[^/]*\/?$|^\/root\/?$/;
/** Claude Code's folder of a project: its path with every separator as a hyphen, below somebody's home. */
const ENCODED_HOME = /^(?:[A-Za-z]-)?-(?:Users|home)-[^-]+(?:-|$)/;

/** A project's own name, for titles: the last folder of its path; a home folder is a person's name and never is. */
export function projectName(cwd: string): string {
  const path = cwd.replaceAll('\\', '/').trim();
  if (path === '' || HOME.test(path)) return 'a project';
  const name =
    path
      .replace(/\/{1,9}$/, '')
      .split('/')
      .at(-1) ?? '';
  return /^[\p{L}\p{N}._ -]{1,80}$/u.test(name) && /[\p{L}\p{N}]/u.test(name) ? name.trim() : 'a project';
}

/**
 * The name that an importer gives the agent it reports for: stable, and with no folder of a home in it. `project`: one
 * agent per project directory; `file`: one per transcript (what stands for distinct agents in a study).
 */
export function agentNameFor(mode: 'project' | 'file', path: string, cwd?: string): string {
  const normal = path.replaceAll('\\', '/').replace(/\/{1,9}$/, '');
  const parts = normal.split('/');
  // a sub-agent's file is its session's: one parent must not look like several agents (spec E1.3)
  if (mode === 'file' && parts.at(-2) === 'subagents') parts.splice(-2);
  if (mode === 'project') return `${slug(cwd, parts.at(-1) ?? '')}-${sha256(normal).slice(0, 8)}`;
  const stem = (parts.at(-1) ?? '').replace(/\.jsonl$/i, '');
  const session = stem
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 8);
  return `${slug(cwd, parts.at(-2) ?? '')}-${session || sha256(normal).slice(0, 8)}`;
}

function slug(cwd: string | undefined, folder: string): string {
  const name = cwd === undefined || cwd === '' ? decoded(folder) : projectName(cwd);
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return plain.slice(0, 40).replace(/-$/, '') || 'project';
}

/** Hyphens of names and separators look alike in an encoded folder, so only its last part surely is no person's. */
function decoded(folder: string): string {
  if (!folder.startsWith('-') && !ENCODED_HOME.test(folder)) return projectName(folder);
  const rest = folder
    .replace(ENCODED_HOME, '')
    .split('-')
    .filter((part) => part !== '');
  return ENCODED_HOME.test(folder) && rest.length < 2 ? 'project' : (rest.at(-1) ?? 'project');
}
