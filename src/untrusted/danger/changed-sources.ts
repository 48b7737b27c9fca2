import { parseCommandLine } from '../shell/command-line.js';
import type { Danger } from './danger.js';

/** Programs whose operands name what they fetch, after one of the verbs. */
interface Fetcher {
  readonly programs: string;
  /** `*`: any word; an empty one: the first operand is already a name. */
  readonly verbs: readonly string[];
  /** A name means the same for all programs of a registry. Default: the program has its own. */
  readonly registry?: string;
  /** Default: a package. */
  readonly kind?: 'package' | 'image' | 'address';
  /** Which operand names it, if not all do: the others belong to what is run, or are names given here. */
  readonly takes?: 'first' | 'last';
  /** Options with a value that names no source; any other word counts as a name. */
  readonly valued?: string;
  /** Options whose value names a registry. */
  readonly from?: string;
  /** Options whose value names what to fetch. */
  readonly named?: string;
}

const INSTALL = ['install', 'add'];
const OF_PYPI = {
  registry: 'pypi',
  from: '-i -f',
  named: '--with --from --spec',
  valued:
    '-r -c -e -t -p -P -G -E --requirement --constraint --editable --target --prefix --root --python --group --extra --optional --extras --platform --python-version --timeout --retries --log --cache-dir --no-binary --only-binary --progress-bar --config-settings',
};
const OF_NPM = {
  registry: 'npm',
  named: '-p --package',
  valued: '-w -C -F --prefix --workspace --dir --filter --cwd --omit --include --loglevel --cache --save-prefix --otp',
};

/**
 * Sources: the manuals of the programs.
 */
export const FETCHERS: readonly Fetcher[] = [
  {
    ...OF_PYPI,
    programs: 'pip uv poetry pdm pipenv hatch rye easy_install',
    verbs: [...INSTALL, 'download', 'self add', 'tool install'],
  },
  { ...OF_PYPI, programs: 'pipx', verbs: ['install', 'inject *'] },
  { ...OF_PYPI, programs: 'uvx', verbs: [''], takes: 'first' },
  { ...OF_PYPI, programs: 'pipx', verbs: ['run'], takes: 'first' },
  { ...OF_PYPI, programs: 'uv', verbs: ['tool run'], takes: 'first' },
  {
    ...OF_NPM,
    programs: 'npm pnpm yarn bun',
    verbs: [...INSTALL, 'i', 'ci', 'update', 'upgrade', 'global add', 'link'],
  },
  { ...OF_NPM, programs: 'npx pnpx bunx', verbs: [''], takes: 'first' },
  { ...OF_NPM, programs: 'npm pnpm yarn bun', verbs: ['exec', 'dlx', 'x', 'create', 'init'], takes: 'first' },
  {
    programs: 'cargo',
    verbs: [...INSTALL, 'binstall'],
    registry: 'crates',
    valued:
      '-F -p -j --features --package --bin --version --vers --rev --branch --tag --root --target --path --profile',
  },
  { programs: 'go', verbs: ['get', 'install'], registry: 'go', valued: '-tags --tags -ldflags' },
  { programs: 'go', verbs: ['run'], registry: 'go', takes: 'first' },
  { programs: 'gem', verbs: ['install'], registry: 'gems', valued: '-v --version -i --install-dir', from: '-s' },
  { programs: 'bundle', verbs: ['add'], registry: 'gems', valued: '-v --version -g --group' },
  { programs: 'composer', verbs: ['require', 'global require'], valued: '-d --working-dir' },
  {
    programs: 'dotnet nuget',
    verbs: ['add package', 'add * package', 'package add', 'tool install', 'install'],
    registry: 'nuget',
    valued: '-v --version -f --framework --project',
    from: '-s',
  },
  { programs: 'dart flutter', verbs: ['pub add', 'pub global activate'], registry: 'pub' },
  { programs: 'cpanm cpm', verbs: ['install', ''], registry: 'cpan' },
  { programs: 'luarocks cabal opam', verbs: ['install'] },
  {
    programs: 'apt-get apt aptitude',
    verbs: INSTALL,
    registry: 'debian',
    valued: '-t -o -c --target-release --option',
  },
  { programs: 'dnf yum microdnf zypper', verbs: [...INSTALL, 'in'], registry: 'rpm' },
  { programs: 'apk', verbs: ['add'], valued: '-t --virtual', from: '-X' },
  { programs: 'pacman yay paru', verbs: [''], registry: 'arch' },
  { programs: 'brew', verbs: ['install', 'reinstall', 'tap'] },
  { programs: 'snap flatpak choco winget scoop port', verbs: INSTALL },
  {
    programs: 'conda mamba micromamba',
    verbs: ['install', 'create'],
    registry: 'conda',
    valued: '-n -p --name --prefix --file',
    from: '-c',
  },
  { programs: 'code cursor', verbs: [], named: '--install-extension' },
  {
    programs: 'docker podman nerdctl crictl',
    verbs: ['pull', 'image pull'],
    registry: 'images',
    kind: 'image',
    valued: '--platform',
  },
  { programs: 'buildah', verbs: ['from'], registry: 'images', kind: 'image' },
  {
    programs: 'docker podman nerdctl',
    verbs: ['run', 'create', 'container run', 'container create'],
    registry: 'images',
    kind: 'image',
    takes: 'first',
  },
  { programs: 'FROM', verbs: [''], registry: 'images', kind: 'image', takes: 'first', valued: '--platform' },
  { programs: 'kubectl oc', verbs: [], registry: 'images', kind: 'image', named: '--image' },
  { programs: 'helm', verbs: ['pull', 'install *', 'upgrade *', 'template *'], registry: 'charts', takes: 'first' },
  { programs: 'helm', verbs: ['repo add'], registry: 'charts', kind: 'address', takes: 'last' },
  { programs: 'gh', verbs: ['extension install', 'repo clone'], registry: 'github', kind: 'address', takes: 'first' },
  {
    programs: 'git',
    verbs: ['clone', 'remote add', 'remote set-url', 'submodule add', 'fetch', 'pull'],
    registry: 'git',
    kind: 'address',
  },
  {
    programs: 'curl wget wget2 aria2c http https xh iwr irm invoke-webrequest invoke-restmethod rsync',
    verbs: [''],
    registry: 'web',
    kind: 'address',
    valued:
      '-o -H -d -X -u -F -T -A -b -e -m -w --output --header --data --request --user --form --user-agent --cookie',
  },
];

/** Options of any of these programs whose value is where it takes things from. */
const OPTIONS_WITH_SOURCE =
  '--index-url --extra-index-url --default-index --index --find-links --registry --repo --repository --source --add-source --channel --repository-url --mirror';

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
  const by = row.registry ?? program;
  // What an option names stands in the place of the operand: `npx -p typescript tsc`.
  const names = row.takes === 'first' && named.length > 0 ? named : [...taken, ...named];
  const sources = names.flatMap((word) => sourceOf(word, row, program) ?? []);
  const addresses = kind === 'address' ? [] : values.filter((word) => ADDRESS.test(word) || FORGE.test(word));
  return [
    ...(sources.length === 0 ? [{ kind, registry: by, name: '', program, by }] : sources),
    ...[...addresses, ...from].flatMap((word): Source[] => {
      const name = addressOf(word, 'all');
      const kind = from.includes(word) ? 'registry' : 'address';
      return name === undefined ? [] : [{ kind, registry: '', name, program, by }];
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

function sourceOf(word: string, { kind = 'package', registry: shared }: Fetcher, program: string): Source | undefined {
  const registry = shared ?? program;
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
