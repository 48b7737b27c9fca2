import { isAddress, isHostName } from './hosts.js';
import { mapStrings } from './map-strings.js';
import { NAMED_HOSTS } from './named-hosts.js';
import { NAMED_PEOPLE } from './named-people.js';
import { generalisePath, homeOwners, isDriveInProse } from './paths.js';
import { MARKER, placed } from './placeholder.js';

/** One rule: what it matches, and the replacement; undefined if the match is something else. */
interface GeneralisationRule {
  readonly pattern: RegExp;
  readonly replacement: (match: string, before: string, owners: readonly string[]) => string | undefined;
}

const URL_PART = String.raw`(?:${MARKER}|\[[0-9A-Fa-f:.%]{2,45}\]|[^\s<>"'\x60[\]|\\^]){1,262144}`;
/** With the mark of a person whom the importer knew: `/home/[user]/shop`. */
const PATH_PART = String.raw`[\p{L}\p{N}_.@+~%=$*\/-]|\\ |\[user\]`;
/**
 * A path begins where no word continues; a home folder also after a marker or a bracket; in a quoted string also after
 * `\n`, and after a flag as in `-I/usr/include`. What follows a placeholder such as `<folder>` is generalised already.
 */
const PATH_START = String.raw`(?:(?<!<[a-z][a-z0-9 -]{0,29}>)(?:(?<![\p{L}\p{N}_.\-~@*\])}$%\/\\])|(?<![\p{L}\p{N}_.-])(?=\/(?:home|Users)\/)|(?<=\\[nrt])|(?<=(?<![\p{L}\p{N}_-])-[A-Za-z]{1,8})))`;
const HOME = String.raw`(?:~(?:[\p{L}_][\p{L}\p{N}_.-]{0,63})?|\$HOME|\$\{HOME\})`;
/** The one blank in `/Users/Ann Lee/` and `C:\Users\Ann Lee\`, without which the second name would stay. */
const BLANK_IN_HOME = String.raw`(?<=[\\\/]Users[\\\/]{1,4}[\p{L}\p{N}_.'-]{1,40}) (?=[\p{L}\p{N}_.'-]{1,40}[\\\/])`;

/** The folder of a tool in the home folder, and a file right in it. */
const PLACE_OF_TOOL = /^~\/\.[a-z][\w.-]{0,30}(?:\/[\w.-]{1,40})?$/i;

const VERSION = /(?<=\/[\w.:-]{1,200})@(?:v?\d{1,5}(?:\.\d[\w.+-]{0,60})?|latest|sha256:[0-9a-f]{64})$/;

/** Order matters: an e-mail address can be part of a URL, a host is part of an e-mail address. */
const GENERALISATION_RULES: readonly GeneralisationRule[] = [
  {
    pattern: new RegExp(String.raw`(?<![A-Za-z0-9])(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)${URL_PART}`, 'giu'),
    replacement: (url) => `[url]${url.match(/[.,;:!?)}*]{1,100}$/)?.[0] ?? ''}`,
  },
  {
    // git@forge:owner/repository; `name@npm:other/name` is a version
    pattern:
      /(?<![\w.-])[\w.-]{1,64}@(?!(?:npm|workspace|file|link|portal|patch|catalog|sha\d{1,3}):)[\w.-]{1,255}:(?!~)[\w.~-]{1,200}\/[\w.~/-]{1,1000}/g,
    replacement: () => '[url]',
  },
  {
    pattern: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{3,255}/gu,
    replacement: (text) => {
      const [, domain = '', rest = ''] = text.match(/@(.*?)([.-]{0,255})$/) ?? [];
      // Not a package with a version: `react@18.2.0-rc.next`, `tool@v2.x-beta.dev`.
      return /^(?!v?\d{1,5}\.[\dx]).*\.\p{L}{2,24}$/u.test(domain) ? `[email]${rest}` : undefined;
    },
  },
  // A shell prompt, or the target of a copy: `ann@build-7:~/job`.
  { pattern: /(?<![\w.-])[\w.-]{1,64}@[\w-]{1,63}(?=:[~/$])/g, replacement: () => '[email]' },
  {
    pattern: new RegExp(
      String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=[-\/][A-Za-z])|(?=[A-Za-z]:[\\\/]{1,4}Users[\\\/]))[A-Za-z]:(?:\\|\/(?!\/))(?:[^\s:*?"<>|'\x60,;()[\]{}]|\[user\]|${BLANK_IN_HOME}|(?<=[\\\/]Program) (?=Files)|(?<=Program Files) \(x86\)){0,262144}`,
      'gu',
    ),
    replacement: (path, _, owners) => (isDriveInProse(path) ? undefined : pathBeforeStop(path, owners)),
  },
  {
    // \\server\share, also with doubled backslashes
    pattern: /(?<![\\\w])\\{2,4}[\w.-]{2,64}\\{1,2}[\w.$-]{2,80}(?:[\p{L}\p{N}_.$\\-]{0,4096})/gu,
    replacement: pathOnly,
  },
  {
    pattern: new RegExp(
      String.raw`(?:(?:${PATH_START}|(?<![\p{L}\p{N}_~]))${HOME}\/|${PATH_START}\/(?=[\p{L}\p{N}_.@~$]))(?:${PATH_PART}|${BLANK_IN_HOME}){0,262144}`,
      'gu',
    ),
    // `</div>` is not a path; `</srv/in.txt` is a redirected one. `~/.nvm/nvm.sh` is the same on each machine.
    replacement: (path, before, owners) =>
      (before.endsWith('<') && path.indexOf('/', 1) < 0) || !/[\p{L}~]/u.test(path) || PLACE_OF_TOOL.test(path)
        ? undefined
        : pathBeforeStop(path, owners),
  },
  // A path with hyphens instead of slashes, as agents name project folders.
  { pattern: /(?<![\w-])-(?:home|Users)-[\w.-]{1,4096}/g, replacement: () => '[path]' },
  {
    pattern: /(?<![\w:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{2,42}(?![\w:])/g,
    replacement: (text) => (isAddress(text) ? '[host]' : undefined),
  },
  {
    pattern: /(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\w|\.\d)/g,
    replacement: (text) => (isAddress(text) ? '[host]' : undefined),
  },
  {
    // The same in hexadecimal, and in one number before a path: `//169090600/x`.
    pattern:
      /(?<![\w.])(?:0x[\da-f]{1,2}\.){3}0x[\da-f]{1,2}(?![\w.])|(?<=(?<![\w:/])\/\/)(?:0x[\da-f]{7,8}|\d{8,10})(?=[:/])/gi,
    replacement: () => '[host]',
  },
  {
    pattern:
      /(?<![\p{L}\p{N}_.-]|(?<!(?<![\w:/])\/)\/)[A-Za-z0-9][A-Za-z0-9.-]{2,253}(?![\p{L}\p{N}_(]|[.-][\p{L}\p{N}_])(?:\/[^\s<>"'`[\]()|]{1,2000})?/gu,
    replacement: (text) => {
      const [, host = '', dots = '', path = ''] = text.match(/^([^/]*?)([.-]*)(\/.*)?$/) ?? [];
      if (!isHostName(host)) return undefined;
      if (path === '') return `[host]${dots}`;
      const [end = ''] = path.match(/[.,;:!?)}*]{1,100}$/) ?? [];
      // The version of a module or an image stays: `[url]@v0.15.3`.
      const version = path.slice(0, path.length - end.length).match(VERSION)?.[0] ?? '';
      return `[url]${version}${end}`;
    },
  },
];

/** Only text built for the purpose needs more than two passes. */
const MAX_PASSES = 6;

/**
 * The one way from a redacted text of a report to a model, a proposal, a lesson or a delivery: URLs become `[url]`, e-mail
 * addresses `[email]`, hosts and addresses of other machines `[host]`, absolute paths `[path]` or `[path]/name.py`,
 * people after names such as `owner=` `[user]`. Relative paths, the local machine (`localhost`, `127.0.0.1`),
 * `/dev/null`, `/tmp`, and programs and folders of the system such as `/usr/local/go/bin` stay, as do the redactor's markers.
 * Idempotent; a text that does not settle after the maximum number of passes becomes `[path]` as a whole.
 */
export function generalise(text: string): string {
  return generaliseWith(text, homeOwners(text));
}

/**
 * `generalise` for every string of a JSON-like value. The owner of a home folder named in one string is removed from
 * all of them.
 */
export function generaliseDeep<T>(value: T): T {
  const owners = homeOwnersIn(value);
  return mapStrings(value, (text) => generaliseWith(text, owners));
}

/** The owners of the home folders that the strings of a JSON-like value mention. */
export function homeOwnersIn(value: unknown): string[] {
  const owners = new Set<string>();
  mapStrings(value, (text) => {
    for (const owner of homeOwners(text)) owners.add(owner);
    return text;
  });
  return [...owners];
}

/** `generalise` that also removes these owners of home folders. */
export function generaliseWith(text: string, owners: readonly string[]): string {
  let current = text;
  for (let passes = 0; passes < MAX_PASSES; passes++) {
    const spelled = SPELLED.test(current)
      ? current.replace(/[^\s"'`]+/g, (run) => plainIfPrivate(run, owners))
      : current;
    const next = onePass(spelled, owners);
    if (next === current) return current;
    current = next;
  }
  return '[path]';
}

const NAMED = [...NAMED_HOSTS, ...NAMED_PEOPLE];

function onePass(text: string, owners: readonly string[]): string {
  const general = GENERALISATION_RULES.reduce((before, step) => apply(step, before, owners), text);
  return NAMED.reduce((before, { pattern, replacement }) => before.replace(pattern, replacement), general);
}

/** Spellings of `/`, `:`, `@` and `.` under which JSON, URLs, patterns and other scripts hide an address or a home. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/%25(?=2f|3a|40|2e)/gi, '%'],
  [/\\{1,4}\//g, '/'],
  [/%2f|&#(?:47|x2f);/gi, '/'],
  [/%3a/gi, ':'],
  [/%40/gi, '@'],
  [/%2e|&#(?:46|x2e);|\[\.\]|[\u3002\uff0e\uff61]/gi, '.'],
];
const SPELLED = /\\\/|%(?:25)?(?:2f|3a|40|2e)|&#(?:4[67]|x2[ef]);|\[\.\]|[\u3002\uff0e\uff61]/i;

/** A run of characters in its plain spelling if that has something private; else as it is, because a command needs it so. */
function plainIfPrivate(run: string, owners: readonly string[]): string {
  if (!SPELLED.test(run)) return run;
  const plain = SPELLINGS.reduce((text, [pattern, by]) => text.replace(pattern, by), run);
  return onePass(plain, owners) === plain ? run : plain;
}

/** What a command shows in place of a private value, where that has another name. */
const IN_COMMANDS = { path: 'folder' };

/** `generaliseWith` for a command or a tool call: a placeholder such as `<url>` says what goes in its place. */
export function generaliseCommand(text: string, owners: readonly string[]): string {
  return placed(generaliseWith(text, owners), IN_COMMANDS);
}

function apply({ pattern, replacement }: GeneralisationRule, text: string, owners: readonly string[]): string {
  return text.replace(pattern, (match: string, offset: number) => {
    return replacement(match, text.slice(Math.max(0, offset - 1), offset), owners) ?? match;
  });
}

/** A full stop after a path ends the sentence and is not part of the path. */
function pathBeforeStop(path: string, owners: readonly string[]): string {
  const stop = path.match(/[.=]{1,100}$/)?.[0] ?? '';
  return generalisePath(path.slice(0, path.length - stop.length), owners) + stop;
}

function pathOnly(path: string, _before: string, owners: readonly string[]): string {
  return pathBeforeStop(path, owners);
}
