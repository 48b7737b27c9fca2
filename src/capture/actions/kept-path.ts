import { isHostName } from '../../untrusted/text/hosts.js';
import { isTokenLike } from './normalised-word.js';
import { basename } from './program.js';

const SEGMENT = /^[\p{L}\p{N}_.:@%+,~^*?{}[\]-]{1,80}$/u;
/** Folders that every machine of a kind has, and programs' folders in them: they name no person and no project. */
const SYSTEM =
  /^\/(?:$|(?:usr|bin|sbin|lib|lib32|lib64|etc|dev|proc|sys|run|System|Library|Applications)(?:\/|$)|var\/(?:log|run|lib|cache|tmp|spool)(?:\/|$)|opt\/homebrew(?:\/|$))/;
/** `/tmp/x` and `/tmp/x/y.py`. Deeper folders can hold a project's own path. */
const SCRATCH = /^\/(?:private\/)?tmp(?:\/[^/]{1,80}){0,2}\/?$/;
const IN_OPT = /^\/opt\/(?:[^/]{1,80}\/){1,8}s?bin\/[^/]{1,80}$/;
/** Folders of an environment, without which a program is another one: `venv/bin/python`. */
const ENVIRONMENT = /\/((?:\.?venv|\.?env|node_modules|vendor)\/(?:\.bin|s?bin|Scripts)\/[^/]{1,80})$/;
const MAX_PATH = 160;

/** True for a path that starts at the root, a drive or a home folder. */
export function isAbsolutePath(text: string): boolean {
  return /^(?:\/|~|[A-Za-z]:[\\/]|file:)/.test(text) && !/^~\d/.test(text);
}

/**
 * An absolute path without its private folders. System folders, scratch files, an interpreter's folder and a tool's
 * folder in the home folder (`~/.nvm/nvm.sh`) stay; of every other path only the last part does, and of a home folder
 * not even that, because it is the user's name.
 */
export function keepPath(text: string): string {
  const path = text.replaceAll('\\', '/');
  const segments = path.split('/').filter((segment) => segment !== '');
  const harmless = path.length <= MAX_PATH && segments.every(isHarmless);
  if (harmless && (SYSTEM.test(path) || SCRATCH.test(path) || IN_OPT.test(path))) return text;
  if (/^~\/?$/.test(path) || (harmless && /^~\/\.[\w-]/.test(path))) return path;
  if (/^~[^/]*\/?$/.test(path) || /^(?:[A-Za-z]:)?\/(?:Users|home)\/[^/]*\/?$/.test(path)) return '[path]';
  const environment = ENVIRONMENT.exec(path)?.[1];
  if (environment?.split('/').every(isHarmless) === true) return `[path]/${environment}`;
  const node = /\.\w{1,8}(::.*)$/.exec(path)?.[1] ?? '';
  const name = basename(node === '' ? path : path.slice(0, -node.length));
  if (name === '' || !SEGMENT.test(name) || isPrivateName(name)) return '[path]';
  return `[path]/${isTokenLike(name) ? '[id]' : name}${node === '' || SEGMENT.test(node) ? node : ''}`;
}

function isHarmless(segment: string): boolean {
  return SEGMENT.test(segment) && !isTokenLike(segment) && !isPrivateName(segment);
}

/** A host, or a home folder as agents spell it in a folder's name. */
function isPrivateName(segment: string): boolean {
  return isHostName(segment) || /(?:^|-)(?:home|Users)-/.test(segment) || /[^@]@[\w-]{1,63}\.\p{L}{2}/u.test(segment);
}
