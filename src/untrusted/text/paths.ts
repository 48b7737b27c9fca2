/** Absolute paths that reveal nothing about a machine and that commands need unchanged. */
const HARMLESS = /^\/(?:dev\/(?:null|zero|stdin|stdout|stderr|u?random|tty)|tmp)\/?$/;

/** A name with a version, and no host: `python3.11`, `conf.d`. */
const NAME = String.raw`\/[A-Za-z](?:[\w+-]|\.(?=\d|d\b)){0,63}`;
/** The end of a folder, or the extension of a file. */
const END = String.raw`(?:\.[a-z]{1,5})?\/?$`;
/**
 * Folders of the Filesystem Hierarchy Standard (3.0, chapters 3 to 5) in which packages lie, and what is in them, as deep
 * as names of packages go: which of them it is decides whether a command works. Not `/usr/src` and `/var/www`, where
 * projects lie, and nothing that belongs to a user or a site: `/home`, `/root`, `/srv`, `/mnt`, `/tmp`.
 */
const SYSTEM_FOLDER = new RegExp(
  [
    String.raw`^\/usr(?!\/(?:local\/)?src\b)(?:${NAME}){0,4}`,
    String.raw`\/(?:s?bin|lib(?:32|64)?)(?:${NAME}){0,3}`,
    String.raw`\/(?:etc|proc)(?:${NAME})?`,
    String.raw`\/var(?:\/(?:cache|lib|log|run|spool)(?:${NAME})?)?`,
    String.raw`\/opt(?:${NAME}(?:\/s?bin(?:${NAME})?)?)?`,
  ].join(`${END}|^`) + END,
);

const HOME_OWNER =
  /(?:\/home\/|[\\/](?:Users|Documents and Settings)[\\/]{1,4}|(?<![\p{L}\p{N}_~])~)([\p{L}_][\p{L}\p{N}_.-]{0,63})/gu;

/** Account names that many machines share. They identify no person, and lessons use them as words. */
const NOT_PERSONAL = new Set(
  'admin all app default node public root runner shared ubuntu user users vscode'.split(' '),
);

/** Returns the owners of the home folders that a text mentions, in lower case. */
export function homeOwners(text: string): string[] {
  const owners = [...text.matchAll(HOME_OWNER)].map((match) => (match[1] ?? '').toLowerCase());
  return [...new Set(owners)].filter((owner) => owner.length > 1 && !NOT_PERSONAL.has(owner));
}

/**
 * Returns the replacement of an absolute path for readers outside the agent: itself for a folder of the system, otherwise
 * `[path]`, followed by the file name if it has an extension or is a program in a `bin` folder, because lessons are about
 * such names. A file name that contains one of `owners` is omitted.
 */
export function generalisePath(path: string, owners: readonly string[]): string {
  if (HARMLESS.test(path)) return path;
  const parts = path.split(/[\\/]+/);
  const name = parts.at(-1) ?? '';
  const keepsName = /^[^.].{0,200}\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(name) || /^s?bin$/.test(parts.at(-2) ?? '');
  const personal = owners.some((owner) => name.toLowerCase().includes(owner));
  const isOwned = owners.some((owner) => path.toLowerCase().includes(owner));
  if (SYSTEM_FOLDER.test(path) && !isOwned) return path;
  return keepsName && name !== '' && !personal ? `[path]/${name}` : '[path]';
}

/** True if a match is no drive, as in the quoted command `for d in x:\nprint(d)`, or reveals nothing, as `C:\temp`. */
export function isDriveInProse(path: string): boolean {
  return /^(?:[a-z]:\\[^\\/.]*|[A-Z]:\\[nrt][^\\/.]*)$/.test(path);
}
