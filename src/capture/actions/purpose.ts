import { familyOf, isPip, isPython } from './program.js';

export interface Invocation {
  /** Basename of the program. */
  readonly program: string;
  /** Leading words that select what the program does: `compose up`, `-m pip install`, `run test`. */
  readonly subcommand: readonly string[];
  readonly flags: readonly string[];
  /** Normalised operand words after the subcommand. */
  readonly operands: readonly string[];
}

const TEST_RUNNERS: ReadonlySet<string> = new Set(
  'pytest py.test tox nox unittest nose nose2 jest vitest mocha ava rspec phpunit playwright cypress'.split(' '),
);
const LINTERS: ReadonlySet<string> = new Set(
  'ruff black flake8 pylint mypy pyright isort eslint biome prettier tsc standard clippy rubocop golangci-lint'.split(
    ' ',
  ),
);
const INSTALL_VERBS: ReadonlySet<string> = new Set('install i ci add sync update upgrade download get'.split(' '));
const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(
  'npm pnpm yarn bun poetry pipenv conda mamba apt apt-get brew yum dnf apk pacman gem bundle corepack uv'.split(' '),
);
const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'pipx']);
const INNER_VERBS: ReadonlySet<string> = new Set(['run', 'exec', 'dlx', 'x']);

/** Purposes of small programs. Other programs have the purpose `shell:<program>`. */
const PURPOSES: ReadonlyMap<string, string> = new Map([
  ...purposeEntries('list', 'ls ll dir tree exa eza lsd'),
  ...purposeEntries('file:read', 'cat less more bat nl'),
  ...purposeEntries('file:search', 'grep egrep fgrep zgrep rg ag ack'),
  ...purposeEntries('file:find', 'find fd fdfind locate'),
  ...purposeEntries('file:remove', 'rm rmdir unlink trash'),
  ...purposeEntries('file:write', 'touch tee'),
  ...purposeEntries('file:edit', 'patch ed'),
  ...purposeEntries('web:fetch', 'curl wget http https xh'),
  ...purposeEntries('version', 'which where whereis type'),
]);

function purposeEntries(purpose: string, programs: string): [string, string][] {
  return programs.split(' ').map((program) => [program, purpose]);
}

/**
 * The purpose of an invocation, the same for interchangeable programs: `python3 x.py` may replace `python x.py`.
 * Version probes have a separate purpose, so that a query for a version never counts as a remedy.
 */
export function purposeOf(invocation: Invocation): string {
  const { program, subcommand, operands } = invocation;
  if (isVersionProbe(invocation)) return `version:${familyOf(probedProgram(invocation))}`;
  if (isPython(program)) return pythonPurpose(invocation);
  if (isPip(program)) return packagePurpose('python', subcommand[0] ?? '');
  const inner = innerInvocation(invocation);
  if (inner !== undefined) return purposeOf(inner);
  // `uv run script.py`: the script is an operand and the interpreter is implicit
  if (familyOf(program) === 'python' && subcommand[0] === 'run' && /\.py$/.test(operands[0] ?? '')) return 'run:python';
  if (program === 'git') return `vcs:git ${subcommand[0] ?? ''}`.trim();
  const family = familyOf(program);
  const tool = toolPurpose(program, family);
  if (tool !== undefined) return tool;
  if (PACKAGE_MANAGERS.has(program))
    return packagePurpose(family, subcommand[0] ?? (program === 'yarn' ? 'install' : ''), subcommand[1]);
  if (family === 'node') return 'run:node';
  if (family === 'docker') return containerPurpose(subcommand);
  if (family === 'rust' || program === 'go') return buildPurpose(family, subcommand[0] ?? '');
  if (program === 'make' || program === 'gmake') return buildPurpose('make', subcommand[0] ?? 'build');
  if (program === 'sed') return invocation.flags.some((flag) => flag.startsWith('-i')) ? 'file:edit' : 'file:read';
  if (program === 'head' || program === 'tail') return 'file:read';
  if (subcommand.length > 0) return `${program}:${subcommand.join(' ')}`;
  return PURPOSES.get(program) ?? `shell:${program}`;
}

function toolPurpose(program: string, family: string): string | undefined {
  if (TEST_RUNNERS.has(program)) return `test:${family === program ? 'any' : family}`;
  return LINTERS.has(program) ? `lint:${program}` : undefined;
}

export function isVersionProbe({ program, subcommand, flags, operands }: Invocation): boolean {
  if (PURPOSES.get(program) === 'version') return true;
  if (program === 'command') return flags.some((flag) => /^-[vV]$/.test(flag));
  if (operands.length > 0) return false;
  if (flags.length === 1 && /^--(?:version|help)$/.test(flags[0] ?? '')) return true;
  if (subcommand.length === 1) return subcommand[0] === 'version' || subcommand[0] === '--version';
  if (subcommand.length > 1) return false;
  const probes = isPython(program) ? /^(?:-V|-VV|--version)$/ : /^(?:-[vV]|--?version)$/;
  return flags.length === 1 && probes.test(flags[0] ?? '');
}

function probedProgram({ program, operands }: Invocation): string {
  return program === 'command' || PURPOSES.get(program) === 'version' ? (operands[0] ?? program) : program;
}

function pythonPurpose({ subcommand, operands }: Invocation): string {
  const module = subcommand[0] === '-m' ? (subcommand[1] ?? '') : '';
  if (module === 'pip') return packagePurpose('python', subcommand[2] ?? '');
  if (module === 'venv' || module === 'virtualenv') return 'environment:python';
  if (module !== '') return toolPurpose(module, 'python') ?? `run:${module.split('.')[0] ?? module}`;
  const script = operands[0] ?? '';
  if (/(?:^|\/)setup\.py$/.test(script)) {
    return INSTALL_VERBS.has(operands[1] ?? '') || operands[1] === 'develop' ? 'install:python' : 'build:python';
  }
  return 'run:python';
}

function packagePurpose(family: string, verb: string, script?: string): string {
  if (INSTALL_VERBS.has(verb)) return `install:${family}`;
  if (verb === 'test' || verb === 't' || (verb === 'run' && script?.startsWith('test') === true))
    return `test:${family}`;
  return `packages:${family} ${verb}${verb === 'run' && script !== undefined ? ` ${script}` : ''}`.trim();
}

function buildPurpose(family: string, verb: string): string {
  if (verb === 'test' || verb === 'check' || verb === 'run' || verb === 'build') return `${verb}:${family}`;
  return INSTALL_VERBS.has(verb) ? `install:${family}` : `build:${family} ${verb}`.trim();
}

/** The purpose of a container command: `docker compose up` and `docker-compose up` have the same one. */
function containerPurpose(subcommand: readonly string[]): string {
  return `container:${subcommand.filter((word) => word !== 'compose' && word !== 'container').join(' ')}`;
}

/** The invocation inside a runner, whose purpose counts: `uv run python x.py`, `npx jest`, `poetry run pytest`. */
function innerInvocation({ program, subcommand, flags, operands }: Invocation): Invocation | undefined {
  const words = [...subcommand];
  if (!RUNNERS.has(program)) {
    if (!['uv', 'poetry', 'pipenv', 'conda', 'bundle', 'pnpm', 'yarn', 'bun'].includes(program)) return undefined;
    if (program === 'uv' && words[0] === 'pip') return { program: 'pip', subcommand: words.slice(1), flags, operands };
    if (!INNER_VERBS.has(words[0] ?? '')) return undefined;
    if ((program === 'pnpm' || program === 'yarn' || program === 'bun') && words[0] === 'run') return undefined;
    words.shift();
  }
  const inner = words.shift();
  return inner === undefined ? undefined : { program: inner, subcommand: words, flags, operands };
}
