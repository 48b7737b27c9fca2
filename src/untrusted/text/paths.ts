/** Absolute paths that say nothing about anybody's machine, and that a command needs as they are. */
const HARMLESS = /^\/(?:dev\/(?:null|zero|stdin|stdout|stderr|u?random|tty)|tmp)\/?$/;

const HOME_OWNER =
  /(?:\/home\/|[\\/](?:Users|Documents and Settings)[\\/]{1,4}|(?<![\p{L}\p{N}_~])~)([\p{L}_][\p{L}\p{N}_.-]{0,63})/gu;

/** Names of accounts on many machines: they say nothing about a person, and are words of lessons besides. */
const NOT_PERSONAL = new Set(
  'admin all app default node public root runner shared ubuntu user users vscode'.split(' '),
);

/** The owners of the home folders that a text mentions, in lower case. */
export function homeOwners(text: string): string[] {
  const owners = [...text.matchAll(HOME_OWNER)].map((match) => (match[1] ?? '').toLowerCase());
  return [...new Set(owners)].filter((owner) => owner.length > 1 && !NOT_PERSONAL.has(owner));
}

/**
 * What stands for an absolute path where others read it: `[path]`, followed by the name where that has an extension or
 * is a program in a `bin` folder, since those are what lessons are about; but not a name with one of `owners` in it.
 */
export function generalisePath(path: string, owners: readonly string[]): string {
  if (HARMLESS.test(path)) return path;
  const parts = path.split(/[\\/]+/);
  const name = parts.at(-1) ?? '';
  const telling = /^[^.].{0,200}\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(name) || /^s?bin$/.test(parts.at(-2) ?? '');
  const personal = owners.some((owner) => name.toLowerCase().includes(owner));
  return telling && name !== '' && !personal ? `[path]/${name}` : '[path]';
}

/** `for d in x:\nprint(d)` in a quoted command is no drive; nor does `C:\temp` tell anything. */
export function isDriveInProse(path: string): boolean {
  return /^(?:[a-z]:\\[^\\/.]*|[A-Z]:\\[nrt][^\\/.]*)$/.test(path);
}
