import { parseCommandLine, type Word } from '../shell/command-line.js';
import type { Danger } from './danger.js';

/** Programs whose operands name what they fetch, after one of the verbs. */
interface Fetcher {
  readonly programs: string;
  /** Separated by commas; `*`: any word; an empty one: the first operand is already a name. */
  readonly verbs?: string;
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

const OF_PYPI = {
  registry: 'pypi',
  from: '-i -f',
  named: '--with --from --spec',
  valued:
    '-r -c -e -t -p -P -G -E --requirement --constraint --editable --target --prefix --root --src --python --group --extra --extras --platform --python-version --implementation --abi --log --report --cache-dir --proxy --cert --client-cert --trusted-host --no-binary --only-binary --progress-bar --config-settings --upgrade-strategy --use-feature --use-deprecated --exists-action --root-user-action --keyring-provider',
};
const OF_NPM = {
  registry: 'npm',
  named: '-p --package',
  valued:
    '-C --prefix --workspace --omit --include --loglevel --cache --save-prefix --otp --tag --os --cpu --libc --install-strategy --script-shell --proxy --https-proxy',
};
const NIX = '--command -c -I --profile';
const NPM_VERBS = 'install, add, i, ci, update, upgrade, global add, link';

/**
 * Sources: the manuals of the programs.
 */
export const FETCHERS: readonly Fetcher[] = [
  {
    ...OF_PYPI,
    programs: 'pip uv poetry pdm pipenv hatch rye',
    verbs: 'install, add, download, self add, tool install',
  },
  { ...OF_PYPI, programs: 'easy_install', verbs: '' },
  { ...OF_PYPI, programs: 'pipx', verbs: 'install, inject *' },
  { ...OF_PYPI, programs: 'uvx', verbs: '', takes: 'first' },
  { ...OF_PYPI, programs: 'pipx', verbs: 'run', takes: 'first' },
  { ...OF_PYPI, programs: 'uv', verbs: 'tool run', takes: 'first' },
  { ...OF_NPM, programs: 'npm', verbs: NPM_VERBS, valued: `${OF_NPM.valued} -w` },
  {
    ...OF_NPM,
    programs: 'pnpm yarn bun deno',
    verbs: NPM_VERBS,
    valued:
      '-C -F --prefix --dir --filter --cwd --loglevel --cache --cache-folder --store-dir --modules-folder -n --name --root',
  },
  { ...OF_NPM, programs: 'npx pnpx bunx', verbs: '', takes: 'first' },
  { ...OF_NPM, programs: 'npm pnpm yarn bun', verbs: 'exec, dlx, x, create, init', takes: 'first' },
  {
    programs: 'cargo',
    verbs: 'install, add, binstall',
    registry: 'crates',
    valued:
      '-F -p -j -Z --features --package --bin --version --vers --rev --branch --tag --root --target --target-dir --path --profile --manifest-path --color --config --rename',
  },
  { programs: 'go', verbs: 'get, install', registry: 'go', valued: '-tags --tags -ldflags -gcflags -mod -C' },
  { programs: 'go', verbs: 'run', registry: 'go', takes: 'first' },
  {
    programs: 'gem',
    verbs: 'install',
    registry: 'gems',
    valued: '-v --version -i --install-dir --platform -n --bindir -P --trust-policy -g --file',
    from: '-s',
  },
  { programs: 'bundle', verbs: 'add', registry: 'gems', valued: '-v --version -g --group' },
  { programs: 'composer', verbs: 'require, global require', valued: '-d --working-dir' },
  {
    programs: 'dotnet nuget',
    verbs: 'add package, add * package, package add, tool install, install',
    registry: 'nuget',
    valued: '-v --version -f --framework --project',
    from: '-s',
  },
  { programs: 'dart flutter', verbs: 'pub add, pub global activate', registry: 'pub' },
  { programs: 'cpanm cpm', verbs: 'install, ', registry: 'cpan' },
  {
    programs: 'apt-get apt aptitude',
    verbs: 'install, add',
    registry: 'debian',
    valued: '-t -o -c --target-release --option --config-file',
  },
  { programs: 'dnf yum microdnf zypper', verbs: 'install, add, in', registry: 'rpm' },
  { programs: 'apk', verbs: 'add', valued: '-t --virtual', from: '-X' },
  { programs: 'pacman yay paru', verbs: '', registry: 'arch' },
  { programs: 'brew snap flatpak choco winget scoop port luarocks cabal opam', verbs: 'install, add, reinstall, tap' },
  {
    programs: 'conda mamba micromamba',
    verbs: 'install, create',
    registry: 'conda',
    valued: '-n -p --name --prefix --file --solver --platform',
    from: '-c',
  },
  { programs: 'code cursor', named: '--install-extension' },
  {
    programs: 'docker podman nerdctl crictl buildah',
    verbs: 'pull, image pull, from',
    registry: 'images',
    kind: 'image',
    valued: '--platform',
  },
  {
    programs: 'skopeo',
    verbs: 'copy, inspect, sync',
    registry: 'images',
    kind: 'image',
    takes: 'first',
    valued:
      '-f -s -d --format --src --dest --authfile --creds --src-creds --dest-creds --override-os --override-arch --override-variant',
  },
  {
    programs: 'docker podman nerdctl',
    verbs: 'run, create, container run, container create',
    registry: 'images',
    kind: 'image',
    takes: 'first',
    valued:
      '-a -c -e -h -l -m -p -u -v -w --add-host --annotation --attach --cap-add --cap-drop --cgroupns --cidfile --cpuset-cpus --device --dns --entrypoint --env --env-file --expose --gpus --group-add --health-cmd --health-interval --hostname --ip --ipc --label --link --log-driver --log-opt --mac-address --memory --mount --name --net --network --network-alias --pid --platform --publish --pull --restart --runtime --security-opt --stop-signal --sysctl --tmpfs --ulimit --user --userns --uts --volume --volumes-from --workdir',
  },
  { programs: 'FROM', verbs: '', registry: 'images', kind: 'image', takes: 'first', valued: '--platform' },
  {
    programs: 'kubectl oc',
    verbs: 'set image *',
    registry: 'images',
    kind: 'image',
    named: '--image',
    valued: '-n -f -l --namespace --context --filename --selector',
  },
  {
    programs: 'helm',
    verbs: 'pull, install, upgrade, template',
    registry: 'charts',
    takes: 'last',
    valued: '-n -f -d --namespace --kube-context --values --set --set-string --set-file --version --timeout',
  },
  { programs: 'helm', verbs: 'repo add', registry: 'charts', kind: 'address', takes: 'last' },
  { programs: 'nix', verbs: 'shell, profile install, profile add', registry: 'nix', valued: NIX },
  { programs: 'nix', verbs: 'run, develop, build', registry: 'nix', takes: 'first', valued: NIX },
  {
    programs: 'nix-env nix-shell',
    verbs: '',
    registry: 'nix',
    named: '-p -A',
    from: '-I -f',
    valued: '--run --command',
  },
  { ...OF_NPM, programs: 'deno', verbs: 'run', kind: 'address', takes: 'first', named: '', valued: '-c --config' },
  {
    programs: 'mvn mvnw',
    verbs: '',
    registry: 'maven',
    named: '-Dartifact',

    valued: '-f -s -pl -DremoteRepositories',
  },
  {
    programs: 'ansible-galaxy',
    verbs: 'install, collection install, role install',
    registry: 'galaxy',
    valued: '-r -p --roles-path --collections-path --requirements-file',
    from: '-s --server',
  },
  { programs: 'gh', verbs: 'extension install, repo clone', registry: 'github', kind: 'address', takes: 'first' },
  {
    programs: 'git',
    verbs: 'clone, remote add, remote set-url, submodule add, fetch, pull',
    registry: 'git',
    kind: 'address',
  },
  {
    programs: 'curl http https xh iwr irm invoke-webrequest invoke-restmethod',
    verbs: '',
    registry: 'web',
    kind: 'address',
    valued:
      '-A -b -c -C -d -D -e -E -F -h -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --user-agent --cookie --cookie-jar --data --data-ascii --data-binary --data-raw --data-urlencode --json --dump-header --cert --key --cacert --capath --form --header --config --output --output-dir --range --request --upload-file --user --write-out --resolve --stderr --trace --trace-ascii -outfile -method -headers -body -contenttype',
  },
  {
    programs: 'wget wget2 aria2c',
    verbs: '',
    registry: 'web',
    kind: 'address',
    valued:
      '-A -a -d -D -e -I -i -l -o -O -P -Q -R -t -T -U -w -X --accept --append-output --ca-certificate --directory-prefix --domains --header --input-file --out --output-document --output-file --password --post-data --post-file --reject --user --user-agent',
  },
  { programs: 'rsync', verbs: '', kind: 'address' },
];

/** Options of any of these programs whose value is where it takes things from. */
const OPTIONS_WITH_SOURCE =
  '--index-url --extra-index-url --default-index --index --find-links --registry --repo --repository --source --add-source --channel --repository-url --mirror';

/** What a command line fetches: a package of a registry by its name, an image, or anything at an address. */
interface Source {
  readonly kind: 'package' | 'image' | 'registry' | 'address' | 'rest';
  /** Names of different ones may have different owners; empty for an address. */
  readonly registry: string;
  readonly name: string;
  readonly program: string;
  /** The registry of the program. */
  readonly by: string;
}

/** What is beyond them is one more source (`rest`). */
const LIMITS = {
  programs: 200,
  words: 400,
  commands: 400,
  lines: 40,
  length: 50_000,
  name: 200,
  shown: 60,
  dangers: 10,
} as const;

/**
 * Flags, after which the next word is an operand. After another option that is not listed the word may be a value or an
 * operand, so it counts as a name, and so does the operand that would otherwise be the first.
 */
const ALONE =
  /^(?:-[diPtqy]{1,5}|--(?:rm|detach|interactive|tty|init|privileged|read-only|quiet|publish-all|help|no-healthcheck|oom-kill-disable|sig-proxy|replace|rmi|yes|no-install|silent|install|atomic|wait|create-namespace))$/;
const NUMBER = /^\d[\d.:,-]{0,30}[kmgs]?$/i;
const GIVES_NAMES = /^(?:xargs|parallel)$/;
const SHELL = /^(?:bash|sh|zsh|dash|ksh|ash|fish|eval|ssh|su|cmd|powershell|pwsh)$/;
const ADDRESS = /^(?:git\+)?(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\[url\])|^[\w.-]{1,64}@[\w.-]{1,255}:(?!\/\/)/i;
const HOST_AND_PATH = /^\$|^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}(?::\d{1,5})?\//i;
/** What a program of the web takes for an address, or a variable that may hold one. */
const WEB = /^(?:\$|[^\s/={"]{0,255}\.[^\s/])/;
const FORGE = /^(?:github|gitlab|bitbucket|gist):/;
/** This machine, and files on it. */
const LOCAL =
  /^(?:[./~]|file:|link:|workspace:|portal:|[A-Za-z]:[\\/]|\[(?:file|dir|script)\b|\$(?:\(pwd\)|PWD|HOME)(?:\/|$))/i;
/** What the programs of a registry take for a file by its end; elsewhere it is a name like any other. */
const FILE =
  /^(?:pypi .{1,200}\.(?:whl|zip|tar\.\w{2,3})|npm .{1,200}\.(?:tgz|tar|tar\.gz)|gems .{1,200}\.gem|debian .{1,200}\.deb|rpm .{1,200}\.rpm|charts .{1,200}\.tgz|go .{1,200}\.go)$/i;
/** What belongs to a name without being part of it: versions, tags, extras, folders of a module. */
const BESIDE_NAME: Readonly<Record<string, RegExp>> = {
  npm: /(?<=[^:])@.*$/,
  pypi: /[[=<>!~;@,\s].*$/,
  go: /(?<=^[^/]{1,200}\/[^/]{1,200}\/[^/@]{1,200})\/.*$|@.*$/,
  images: /(?::[\w.-]{1,128})?(?:@sha256:.*)?$|^(?:docker\.io\/)?(?:library\/)?/g,
  maven: /(?<=:[^:]{1,200}):.*$/,
  conda: /[=<>! ].*$/,
  debian: /[=/:].*$/,
};
/** Parts of a path that many owners share. */
const SHARED_PARTS =
  /^[^/]{1,255}\/(?:(?:api\/)?(?:v\d\/)?(?:projects?|packages?|repos|repositories|users?|groups?|orgs|crates|gems|simple|npm|gh|r|p|u|datasets|models|maven2|com|org)\/(?:v\d\/)?){0,4}[^/]{0,200}/;
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
  if (before.every(({ kind }) => kind === 'rest')) return [];
  const known = new Set(before.map(keyOf));
  const after = sourcesIn(later).filter(({ name }) => name !== '');
  const kept = new Set(after.map(keyOf));
  const left = before.filter((one) => one.name !== '' && !kept.has(keyOf(one)));
  const isNew = (one: Source): boolean => {
    if (known.has(keyOf(one))) return false;
    if (one.kind === 'rest') return true;
    // A registry where none was named is one more danger.
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
  rest: 'fetches more than is read',
};

function dangerOf(one: Source, left: readonly Source[]): Danger {
  const { kind, registry, name, program } = one;
  const moved = left.find((other) => other.kind === kind && other.name === name && other.registry !== registry);
  const same = left.filter((other) => other.kind === kind && other.registry === registry);
  const from = (same.length > 0 ? same : left).map((other) => shown(other.name)).slice(0, 3);
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
  let programs = 0;
  let isRead = true;
  for (let read = 0; read < LIMITS.lines && pending.length > 0; read += 1) {
    const next = pending.shift() ?? '';
    const commands = parseCommandLine(next.slice(0, LIMITS.length));
    isRead &&= next.length <= LIMITS.length && commands.length <= LIMITS.commands;
    for (const { words, nested } of commands.slice(0, LIMITS.commands)) {
      isRead &&= words.length <= LIMITS.words;
      const texts = words.slice(0, LIMITS.words).map(textOf);
      pending.push(...nested.map(({ text }) => text));
      if (texts.some((text) => SHELL.test(text))) pending.push(...texts.filter((text) => /\s/.test(text)));
      texts.forEach((text, at) => {
        const program = programName(text);
        if (!ROWS.has(program)) return;
        programs += 1;
        const before = texts.slice(0, at);
        const given = before.some((word) => GIVES_NAMES.test(word)) ? [`$(${before.join('_')})`] : [];
        if (programs <= LIMITS.programs) found.push(...sourcesOf(program, [...texts.slice(at + 1), ...given]));
      });
    }
  }
  if (isRead && pending.length === 0 && programs <= LIMITS.programs) return found;
  return [...found, { kind: 'rest', registry: '', name: line, program: 'sh', by: '' }];
}

/** What a substitution gives is unknown, so its code is the name. */
const textOf = ({ text, code, source }: Word): string =>
  code ? source.replace(/["'\\]/g, '').replace(/\s/g, '_') : text;
/** `pip3.11` and `/usr/bin/pip` are `pip`. */
function programName(word: string): string {
  const base = word.slice(word.lastIndexOf('/') + 1).replace(/\.(?:exe|cmd)$/i, '');
  if (base === 'FROM') return base;
  const name = base.toLowerCase();
  return ROWS.has(name) ? name : name.replace(/[\d.]{1,5}$/, '');
}

function sourcesOf(program: string, words: readonly string[]): Source[] {
  const rows = ROWS.get(program) ?? [];
  const found = rows.flatMap((row) => sourcesOfRow(row, program, words));
  if (found.length > 0) return found;
  // An address that another verb takes: `kubectl apply -f https://…`, `npm config set registry=https://…`.
  const by = rows[0]?.registry ?? program;
  return words.flatMap(splitAtEquals).flatMap((word) => addressSource(word, 'owner', program, by));
}

function sourcesOfRow(row: Fetcher, program: string, words: readonly string[]): Source[] {
  const { operands, named, from, values } = readArguments(row, words);
  const verb = row.verbs
    ?.split(', ')
    .map((one) => endOfVerb(one, operands))
    .find((end) => end !== undefined);
  if (verb === undefined && named.length === 0) return [];
  const given = verb === undefined ? [] : operands.slice(verb);
  const sure = given.flatMap(({ isSure }, at) => (isSure ? [at] : []));
  const taken =
    row.takes === 'first' ? given.slice(0, (sure[0] ?? given.length) + 1) : given.slice(row.takes && sure.at(-1));
  const kind: Source['kind'] = row.kind ?? 'package';
  const by = row.registry ?? program;
  // What an option names stands in the place of the operand: `npx -p typescript tsc`.
  const names = row.takes === 'first' && named.length > 0 ? named : [...taken.map(({ text }) => text), ...named];
  const sources = names.flatMap((word) => sourceOf(word, row, program) ?? []);
  return [
    ...(sources.length === 0 ? [{ kind, registry: by, name: '', program, by }] : sources),
    ...(kind === 'address' ? [] : values.flatMap((word) => addressSource(word, 'all', program, by))),
    ...from.flatMap((word): Source[] => {
      const name = addressOf(word, 'all');
      return name === undefined ? [] : [{ kind: 'registry', registry: '', name, program, by }];
    }),
  ];
}

function addressSource(word: string, part: 'owner' | 'all', program: string, by: string): Source[] {
  const name = ADDRESS.test(word) || FORGE.test(word) ? addressOf(word, part) : undefined;
  return name === undefined ? [] : [{ kind: 'address', registry: '', name, program, by }];
}

/** Where a verb ends in the operands, `*` being any; undefined if they are others. Values may stand in between. */
function endOfVerb(verb: string, operands: readonly Operand[]): number | undefined {
  let end = 0;
  for (const word of verb === '' ? [] : verb.split(' ')) {
    while (word !== '*' && operands[end]?.isSure === false && operands[end]?.text !== word) end += 1;
    if (operands[end] === undefined || (word !== '*' && operands[end]?.text !== word)) return undefined;
    end += 1;
  }
  return end;
}

interface Operand {
  readonly text: string;
  /** False behind an option that may take it as its value. */
  readonly isSure: boolean;
}

function readArguments({ valued = '', named = '', from = '' }: Fetcher, words: readonly string[]) {
  const read = { operands: [] as Operand[], named: [] as string[], from: [] as string[], values: [] as string[] };
  const listOf = new Map(
    [
      { list: read.values, options: valued },
      { list: read.from, options: `${from} ${OPTIONS_WITH_SOURCE}` },
      { list: read.named, options: named },
    ].flatMap(({ list, options }) => options.split(' ').map((option) => [option, list] as const)),
  );
  let isSure = true;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!/^--?[A-Za-z]/.test(word)) {
      if (word !== '--' && (isSure || !NUMBER.test(word)))
        read.operands.push(...word.split(/\s@\s|\s/, 2).map((text) => ({ text, isSure })));
      isSure = true;
      continue;
    }
    const [option = '', attached] = splitAtEquals(word);
    // Of several letters the first that takes a value: `-Ur file`, and not `-XPOST`.
    const letters = /^-[A-Za-z]{2,6}$/.test(option) ? [...option] : [];
    const valuedLetter = letters.find((letter) => listOf.has(`-${letter}`));
    const list = listOf.get(option) ?? (valuedLetter === letters.at(-1) ? listOf.get(`-${valuedLetter}`) : undefined);
    if (attached !== undefined) (list ?? read.values).push(attached);
    else if (list !== undefined) {
      list.push(words[at + 1] ?? '');
      at += 1;
    }
    isSure = attached !== undefined || list !== undefined || ALONE.test(word) || !/^--?[A-Za-z-]+$/.test(word);
  }
  return read;
}

function splitAtEquals(word: string): string[] {
  const at = word.indexOf('=');
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function sourceOf(word: string, { kind = 'package', registry: shared }: Fetcher, program: string): Source | undefined {
  const registry = shared ?? program;
  const text = word.replace(/^docker:\/\//, '').slice(0, LIMITS.name);
  if (text === '' || LOCAL.test(text)) return undefined;
  const alias = registry === 'npm' ? /^(?:@?[\w./-]{1,100}@)?(?:npm|jsr):(.{1,200})$/.exec(text)?.[1] : undefined;
  const place =
    (registry === 'npm' && alias === undefined ? /^@?[\w./-]{1,100}@(.*[:/].*)$/.exec(text)?.[1] : undefined) ?? text;
  const isRepository =
    (kind === 'package' ? registry === 'npm' : registry === 'github') &&
    /^[\w.-]{1,100}\/[\w.-]{1,100}(?:#.*)?$/.test(place);
  const address = isRepository ? `github:${place}` : place;
  const isAddress = ADDRESS.test(address) || FORGE.test(address);
  if (alias === undefined && (isAddress || kind === 'address')) {
    const isRead = isAddress || (registry === 'web' ? WEB : HOST_AND_PATH).test(address);
    const name = isRead ? addressOf(address, registry === 'web' ? 'owner' : 'all') : undefined;
    return name === undefined ? undefined : { kind: 'address', registry: '', name, program, by: registry };
  }
  const isFile = FILE.test(`${registry} ${text}`) && !HOST_AND_PATH.test(text);
  if (isFile || (registry === 'maven' && !/:.{1,200}:/.test(text))) return undefined;
  return { kind, registry, name: nameOf(alias ?? text, registry), program, by: registry };
}

/** The name of a package or an image as its registry compares it, without version, tag and extras. */
function nameOf(text: string, registry: string): string {
  const name = text.replace(BESIDE_NAME[registry] ?? /[@:=].*$/, '').toLowerCase();
  return registry === 'pypi' ? name.replace(/[-_.]{1,20}/g, '-') : name;
}

/**
 * An address without scheme, login, query and version. `owner`: with the first part of its path that names its owner on a
 * host of many; a file moves more often than its owner. Undefined for this machine.
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
  return part === 'all' ? plain : (SHARED_PARTS.exec(plain)?.[0] ?? plain);
}
