import { sha256 } from '../../platform/base/canonical-json.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { withoutPrivateValues } from '../../untrusted/text/private-values.js';

const HOME = /^(?:[A-Za-z]:)?\/(?:Users|home)\/[^/]*\/?$|^~[^/]*\/?$|^\/root\/?$/;
/** Claude Code's folder of a project below a user's home: its path with every separator as a hyphen. */
const ENCODED_HOME = /^(?:[A-Za-z]-)?-(?:Users|home)-[^-]+(?:-|$)/;

/** The project of a folder that names none. */
export const NO_PROJECT = 'a project';

/**
 * The name of a project for titles: the last folder of its path. Never a home folder, because that is a person's name.
 */
export function projectName(cwd: string): string {
  const path = cwd.replaceAll('\\', '/').trim();
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
  const normal = path.replaceAll('\\', '/').replace(/\/{1,9}$/, '');
  const parts = normal.split('/');
  // a sub-agent's file counts as its session's: one parent must not look like several independent agents
  if (mode === 'file' && parts.at(-2) === 'subagents') parts.splice(-2);
  if (mode === 'project') return `${slug(cwd, parts.at(-1) ?? '')}-${sha256(normal).slice(0, 8)}`;
  const stem = (parts.at(-1) ?? '').replace(/\.jsonl$/i, '');
  const session = stem
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 8);
  return `${slug(cwd, parts.at(-2) ?? '')}-${session || sha256(normal).slice(0, 8)}`;
}

/**
 * The name of the agent of a session, one for each project, by the same rule for hooks and for imports. Claude Code has
 * a folder for each project, and the others name the project in the session. `file`: the path of the transcript.
 * Undefined if neither is known.
 */
export function sessionAgentName(
  product: string,
  { file, cwd }: { readonly file?: string | undefined; readonly cwd?: string | undefined },
): string | undefined {
  const folder = file?.replaceAll('\\', '/').replace(/\/[^/]*$/, '');
  const project = product === 'claude-code' ? folder?.replace(/\/[^/]*\/subagents$/, '') : (cwd ?? folder);
  const path = project ?? cwd;
  return path === undefined || path === '' ? undefined : agentNameFor('project', path, cwd);
}

const LONGEST_NAME = 100;

/**
 * The name of an agent as a record gives it, for formats in which each execution can be another agent's. Secrets and
 * addresses are removed; a changed name ends in a hash of the whole, so that two agents never become one.
 */
export function recordedAgentName(name: string): string {
  const clean = withoutPrivateValues(redact(name.slice(0, LONGEST_NAME * 10)).text)
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
