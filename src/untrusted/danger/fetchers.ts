/** Programs whose operands name what they fetch, after one of the verbs. */
export interface Fetcher {
  readonly programs: string;
  /** `*`: any word; an empty one: the first operand is already a name. */
  readonly verbs: readonly string[];
  /** A name means the same for all programs of a registry. */
  readonly registry: string;
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
 * Sources: the manuals of the programs. `own`: registries of one program each, whose names are compared among
 * themselves.
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
  { programs: 'composer', verbs: ['require', 'global require'], registry: 'packagist', valued: '-d --working-dir' },
  {
    programs: 'dotnet nuget',
    verbs: ['add package', 'add * package', 'package add', 'tool install', 'install'],
    registry: 'nuget',
    valued: '-v --version -f --framework --project',
    from: '-s',
  },
  { programs: 'dart flutter', verbs: ['pub add', 'pub global activate'], registry: 'pub' },
  { programs: 'cpanm cpm', verbs: ['install', ''], registry: 'cpan' },
  { programs: 'luarocks cabal opam', verbs: ['install'], registry: 'own' },
  {
    programs: 'apt-get apt aptitude',
    verbs: INSTALL,
    registry: 'debian',
    valued: '-t -o -c --target-release --option',
  },
  { programs: 'dnf yum microdnf zypper', verbs: [...INSTALL, 'in'], registry: 'rpm' },
  { programs: 'apk', verbs: ['add'], registry: 'alpine', valued: '-t --virtual', from: '-X' },
  { programs: 'pacman yay paru', verbs: [''], registry: 'arch' },
  { programs: 'brew', verbs: ['install', 'reinstall', 'tap'], registry: 'brew' },
  { programs: 'snap flatpak choco winget scoop port', verbs: INSTALL, registry: 'own' },
  {
    programs: 'conda mamba micromamba',
    verbs: ['install', 'create'],
    registry: 'conda',
    valued: '-n -p --name --prefix --file',
    from: '-c',
  },
  { programs: 'code cursor', verbs: [], registry: 'extensions', named: '--install-extension' },
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
export const OPTIONS_WITH_SOURCE =
  '--index-url --extra-index-url --default-index --index --find-links --registry --repo --repository --source --add-source --channel --repository-url --mirror';
