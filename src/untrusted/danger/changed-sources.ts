import { parseCommandLine } from '../shell/command-line.js';
import type { Danger } from './danger.js';
import { FETCHERS, type Fetcher, OPTIONS_WITH_SOURCE } from './fetchers.js';

/** What a command line fetches: a package of a registry by its name, an image, or anything at an address. */
interface Source {
  readonly kind: 'package' | 'image' | 'registry' | 'address';
  /** Names of different ones may have different owners; empty for an address. */
  readonly registry: string;
  readonly name: string;
  readonly program: string;
  /** The registry of the program. */
  readonly by: string;
}

const LIMITS = { sources: 60, words: 400, commands: 100, lines: 12, name: 200, shown: 60, dangers: 10 } as const;

/** Flags of programs whose other options take the next word. */
const ALONE = /^(?:-[diPtqh]{1,5}|--(?:rm|detach|interactive|tty|init|privileged|read-only|quiet|publish-all|help))$/;
const SHELL = /^(?:bash|sh|zsh|dash|ksh|ash|fish|eval|ssh|su|cmd|powershell|pwsh)$/;
const ADDRESS = /^(?:git\+)?(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\[url\])|^[\w.-]{1,64}@[\w.-]{1,255}:(?!\/\/)/i;
const HOST_AND_PATH = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}(?::\d{1,5})?\//i;
const FORGE = /^(?:github|gitlab|bitbucket|gist):/;
/** This machine, and files on it. */
const LOCAL =
  /^(?:[./~]|file:|link:|workspace:|portal:|[A-Za-z]:[\\/]|\[(?:file|dir|script)\b)|^[^:]{0,200}\.(?:whl|t?gz|zip|deb|rpm|apk|gem|crate|nupkg|jar|txt|toml|lock|go)$/i;
const LOCAL_HOST = /^(?:localhost|127\.[\d.]{1,11}|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?=[:/]|$)/i;

const ROWS = new Map<string, Fetcher[]>();
for (const row of FETCHERS)
  for (const program of row.programs.split(' ')) ROWS.set(program, [...(ROWS.get(program) ?? []), row]);

/**
 * Returns what the later of two command lines fetches under another name than the failed one, each as a danger of the
 * class `source` that says which: "installs another package: frobber → frobber-plus". Anyone can publish a package whose
 * name resembles another, and a run in which it was installed looks like a success.
 *
 * Another version, tag or flag names the same maker, and so does an extra (`x[extra]`), which the package itself
 * declares; the same name for another program of the same registry (`pip`, `uv`) is the same package. The same name in
 * another registry (`pip`, `conda`) may have another owner, and a further package of the same registry is one that the
 * failed line did not ask for: both are changes. What is installed elsewhere before the same call (`apt-get install
 * libpq-dev`) replaces nothing, and a failed line that fetches nothing has no source to change. `later`: the steps before
 * a call and the call, each on a line. Never throws.
 */
export function changedSources(failed: string, later: string): Danger[] {
  const before = sourcesIn(failed);
  if (before.length === 0) return [];
  const known = new Set(before.map(keyOf));
  const after = sourcesIn(later).filter(({ name }) => name !== '');
  const kept = new Set(after.map(keyOf));
  const left = before.filter((one) => one.name !== '' && !kept.has(keyOf(one)));
  const isNew = (one: Source): boolean => {
    if (known.has(keyOf(one))) return false;
    // A registry where none was named is a danger of its own.
    if (one.kind === 'registry') return before.some(({ kind }) => kind === 'registry');
    return left.length > 0 || before.some(({ by }) => by === one.by);
  };
  const changed = new Map(after.filter(isNew).map((one) => [keyOf(one), one]));
  return [...changed.values()].slice(0, LIMITS.dangers).map((one) => dangerOf(one, left));
}

const keyOf = ({ kind, registry, name }: Source): string => `${kind} ${registry} ${name}`;

const SAYS: Readonly<Record<Source['kind'], string>> = {
  package: 'installs another package',
  image: 'uses another image',
  registry: 'uses another registry',
  address: 'fetches from another address',
};

function dangerOf(one: Source, left: readonly Source[]): Danger {
  const { kind, registry, name, program } = one;
  const moved = left.find((other) => other.kind === kind && other.name === name && other.registry !== registry);
  const [same, others] = [left.filter((other) => other.kind === kind && other.registry === registry), left];
  const from = (same.length > 0 ? same : others).map((other) => shown(other.name)).slice(0, 3);
  const form =
    moved === undefined
      ? `${SAYS[kind]}: ${from.length > 0 ? `${from.join(', ')} → ` : '+ '}${shown(name)}`
      : `installs from another registry: ${moved.program} ${shown(name)} → ${program} ${shown(name)}`;
  return { class: 'source', program, form };
}

const shown = (name: string): string => name.slice(0, LIMITS.shown);

/** The sources of a command line; one without a name for a program that fetches what a file lists (`npm ci`). */
function sourcesIn(line: string): Source[] {
  const found: Source[] = [];
  const pending = [line.normalize('NFKC')];
  for (let read = 0; read < LIMITS.lines; read += 1) {
    const next = pending.shift();
    if (next === undefined) break;
    for (const { words, nested } of parseCommandLine(next).slice(0, LIMITS.commands)) {
      const texts = words.slice(0, LIMITS.words).map(({ text }) => text);
      pending.push(...nested.map(({ text }) => text));
      if (texts.some((text) => SHELL.test(text))) pending.push(...texts.filter((text) => /\s/.test(text)));
      texts.forEach((text, at) => {
        for (const row of ROWS.get(programName(text)) ?? [])
          if (found.length < LIMITS.sources) found.push(...sourcesOf(row, programName(text), texts.slice(at + 1)));
      });
    }
  }
  return found;
}

/** `pip3.11` and `/usr/bin/pip` are `pip`. */
function programName(word: string): string {
  const base = word.slice(word.lastIndexOf('/') + 1).replace(/\.(?:exe|cmd)$/i, '');
  if (base === 'FROM') return base;
  const name = base.toLowerCase();
  return ROWS.has(name) ? name : name.replace(/[\d.]{1,5}$/, '');
}

function sourcesOf(row: Fetcher, program: string, words: readonly string[]): Source[] {
  const { operands, named, from, values } = readArguments(row, words);
  const verb = row.verbs.map((one) => lengthOfVerb(one, operands)).find((length) => length !== undefined);
  if (verb === undefined && named.length === 0) return [];
  const given = verb === undefined ? [] : operands.slice(verb);
  const taken = row.takes === 'first' ? given.slice(0, 1) : row.takes === 'last' ? given.slice(-1) : given;
  const kind: Source['kind'] = row.kind ?? 'package';
  // What an option names stands in the place of the operand: `npx -p typescript tsc`.
  const names = row.takes === 'first' && named.length > 0 ? named : [...taken, ...named];
  const sources = names.flatMap((word) => sourceOf(word, row, program) ?? []);
  const addresses = kind === 'address' ? [] : values.filter((word) => ADDRESS.test(word) || FORGE.test(word));
  return [
    ...(sources.length === 0 ? [{ kind, registry: row.registry, name: '', program, by: row.registry }] : sources),
    ...[...addresses, ...from].flatMap((word): Source[] => {
      const name = addressOf(word, 'all');
      const kind = from.includes(word) ? 'registry' : 'address';
      return name === undefined ? [] : [{ kind, registry: '', name, program, by: row.registry }];
    }),
  ];
}

/** The number of operands that a verb has, `*` being any; undefined if they are others. */
function lengthOfVerb(verb: string, operands: readonly string[]): number | undefined {
  const words = verb === '' ? [] : verb.split(' ');
  return words.every((word, at) => operands[at] === word || (word === '*' && operands[at] !== undefined))
    ? words.length
    : undefined;
}

interface Arguments {
  readonly operands: readonly string[];
  /** Values of options that name what to fetch, or a registry. */
  readonly named: readonly string[];
  readonly from: readonly string[];
  /** Values of the other options. */
  readonly values: readonly string[];
}

function readArguments(
  { valued = '', named = '', from = '', kind, takes }: Fetcher,
  words: readonly string[],
): Arguments {
  const read = { operands: [] as string[], named: [] as string[], from: [] as string[], values: [] as string[] };
  const isOf = (list: string, option: string): boolean => list.split(' ').includes(option);
  const takesAny = kind === 'image' && takes === 'first';
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!/^--?[A-Za-z]/.test(word)) {
      if (word !== '--') read.operands.push(...word.split(/\s@\s|\s/, 2));
      continue;
    }
    const [option = '', attached] = splitAtEquals(word);
    const list = isOf(named, option)
      ? read.named
      : isOf(from, option) || isOf(OPTIONS_WITH_SOURCE, option)
        ? read.from
        : isOf(valued, option) || (takesAny && read.operands.length > 0 && !ALONE.test(word))
          ? read.values
          : undefined;
    if (attached !== undefined) (list ?? read.values).push(attached);
    else if (list !== undefined) {
      list.push(words[at + 1] ?? '');
      at += 1;
    }
  }
  return read;
}

function splitAtEquals(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function sourceOf(word: string, { kind = 'package', registry }: Fetcher, program: string): Source | undefined {
  const text = word.slice(0, LIMITS.name);
  if (text === '' || text === '.') return undefined;
  const alias = registry === 'npm' ? /^(?:@?[\w./-]{1,100}@)?npm:(.{1,200})$/.exec(text)?.[1] : undefined;
  const pinned =
    registry === 'npm' && alias === undefined ? /^@?[\w./-]{1,100}@(.*[:/].*)$/.exec(text)?.[1] : undefined;
  const isRepository =
    (registry === 'npm' || registry === 'github') && /^[\w.-]{1,100}\/[\w.-]{1,100}(?:#.*)?$/.test(text);
  const address = pinned ?? (isRepository ? `github:${text}` : text);
  const isAddress = ADDRESS.test(address) || FORGE.test(address);
  if (alias === undefined && (isAddress || kind === 'address')) {
    const isRead = isAddress || HOST_AND_PATH.test(address);
    const name = isRead ? addressOf(address, registry === 'web' ? 'owner' : 'all') : undefined;
    return name === undefined ? undefined : { kind: 'address', registry: '', name, program, by: registry };
  }
  if (LOCAL.test(text)) return undefined;
  return { kind, registry, name: nameOf(alias ?? text, registry), program, by: registry };
}

/** The name of a package or an image as its registry compares it, without version, tag and extras. */
function nameOf(text: string, registry: string): string {
  if (registry === 'npm') return text.replace(/(?<=.)@.*$/, '').toLowerCase();
  if (registry === 'pypi') return (/^[\w.-]{1,200}/.exec(text)?.[0] ?? text).replace(/[-_.]{1,20}/g, '-').toLowerCase();
  if (registry === 'go') return text.replace(/@.*$/, '').split('/').slice(0, 3).join('/').toLowerCase();
  if (registry === 'images')
    return text
      .replace(/@sha256:.*$/, '')
      .replace(/:[\w.-]{1,128}$/, '')
      .replace(/^(?:docker\.io\/)?(?:library\/)?/, '')
      .toLowerCase();
  if (registry === 'conda') return text.replace(/[=<>! ].*$/, '').toLowerCase();
  if (registry === 'debian') return text.replace(/[=/:].*$/, '').toLowerCase();
  return text.replace(/[@:=].*$/, '').toLowerCase();
}

/**
 * An address without scheme, login, query and version. `owner`: with the first part of its path only, which is its owner
 * on a host of many; a file moves more often than its owner. Undefined for this machine.
 */
function addressOf(word: string, part: 'owner' | 'all'): string | undefined {
  const plain = word
    .slice(0, LIMITS.name)
    .replace(/^git\+/, '')
    .replace(
      /^(github|gitlab|bitbucket|gist):(?!\/\/)/,
      (_, forge: string) => `${forge}.${forge === 'bitbucket' ? 'org' : 'com'}/`,
    )
    .replace(/^[a-z][a-z0-9+.-]{1,20}:\/\//i, '')
    .replace(/^[^/@]{0,128}@(?=[\w.[-])/, '')
    .replace(/[?#].*$/, '')
    .replace(/^([\w.-]{1,255}):(?!\d{1,5}(?:\/|$))/, '$1/')
    .replace(/@[\w.-]{1,100}$/, '')
    .replace(/(?:\.git)?\/?$/, '')
    .toLowerCase();
  if (plain === '' || LOCAL_HOST.test(plain) || /^[./~]/.test(plain)) return undefined;
  return part === 'all' ? plain : plain.split('/', 2).join('/');
}
