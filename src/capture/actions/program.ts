/** Words that start a compound command; the program comes after them. */
const KEYWORDS: ReadonlySet<string> = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{']);

/**
 * Programs that run another program, with their short options that take a value; without this, the value would be taken
 * for the program.
 */
const WRAPPERS: ReadonlyMap<string, string> = new Map([
  ['sudo', 'ugpCrtTUDR'],
  ['doas', 'uC'],
  ['env', 'uCS'],
  ['time', 'fo'],
  ['timeout', 'ks'],
  ['gtimeout', 'ks'],
  ['nice', 'n'],
  ['ionice', 'cnp'],
  ['stdbuf', 'ioe'],
  ['xvfb-run', 'nsef'],
  ['nohup', ''],
  ['setsid', ''],
  ['exec', 'a'],
  ['builtin', ''],
  ['command', ''],
  ['caffeinate', 't'],
  ['unbuffer', ''],
]);

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]{0,60}\+?=/;

/**
 * The place of the program behind environment assignments, keywords and wrappers such as sudo, time and timeout; the
 * number of words if there is none (`FOO=1` alone).
 */
export function locateProgram(words: readonly string[]): number {
  let index = 0;
  while (index < words.length) {
    const word = words[index] ?? '';
    if (WRAPPERS.has(word) && wrapsCommand(words, index)) index = endOfWrapperOptions(words, index);
    else if (ASSIGNMENT.test(word) || KEYWORDS.has(word)) index += 1;
    else break;
  }
  return index;
}

function wrapsCommand(words: readonly string[], index: number): boolean {
  // `command -v x` only looks up x; `env` and `time` alone run nothing
  if (words[index] === 'command' && /^-[vV]/.test(words[index + 1] ?? '')) return false;
  return endOfWrapperOptions(words, index) < words.length;
}

function endOfWrapperOptions(words: readonly string[], index: number): number {
  const wrapper = words[index] ?? '';
  const valued = WRAPPERS.get(wrapper) ?? '';
  let at = index + 1;
  for (; words[at]?.startsWith('-') === true; at += 1) {
    const flag = words[at] ?? '';
    if (flag === '--') return at + 1;
    if (/^-[A-Za-z]$/.test(flag) && valued.includes(flag.charAt(1))) at += 1;
  }
  return wrapper === 'timeout' || wrapper === 'gtimeout' ? at + 1 : at;
}

export function basename(path: string): string {
  const trimmed = path.replace(/\/{1,9}$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

/** True for python, python3.11, pypy3 and py: one family, several programs. */
export function isPython(program: string): boolean {
  return /^(?:(?:python|pypy)\d{0,2}(?:\.\d{1,2}){0,2}|py)$/.test(program);
}

export function isPip(program: string): boolean {
  return /^pip\d{0,2}(?:\.\d{1,2})?$/.test(program);
}

/** The family of a program, for purposes: `python3` and `pip` belong to `python`. */
export function familyOf(program: string): string {
  if (isPython(program) || isPip(program)) return 'python';
  return FAMILIES.get(program) ?? program;
}

const FAMILIES: ReadonlyMap<string, string> = new Map([
  ...members('python', 'uv uvx poetry pipenv pipx conda mamba pytest tox nox pyenv virtualenv'),
  ...members(
    'node',
    'npm npx pnpm pnpx yarn bun bunx node tsx ts-node deno nodejs nvm corepack jest vitest mocha ava playwright cypress',
  ),
  ...members('java', 'mvn mvnw gradle gradlew java javac'),
  ...members('rust', 'cargo rustc rustup'),
  ...members('go', 'gofmt'),
  ...members('ruby', 'bundle gem rake rspec'),
  ...members('docker', 'docker-compose podman'),
  ...members('system', 'apt apt-get brew yum dnf apk pacman'),
]);

function members(family: string, programs: string): [string, string][] {
  return programs.split(' ').map((program) => [program, family]);
}
