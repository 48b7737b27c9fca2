import { FifoCache } from '../../platform/background/fifo-cache.js';
import type { SimpleCommand } from '../../untrusted/shell/command-line.js';
import type { ActionShape } from './action-shape.js';
import { normaliseFirstPass, normaliseFully } from './normalised-command.js';
import { isPlaceholder } from './normalised-word.js';
import { basename, isPip, isPython, locateProgram } from './program.js';
import { type Invocation, isVersionProbe, purposeOf } from './purpose.js';

/** One parsed simple command. `position`: its index among the commands of the line. */
export interface Step extends Invocation {
  readonly position: number;
  /** The program as displayed: `python`, `[path]/python3`, `[script:.sh]`. */
  readonly displayName: string;
  readonly before: readonly string[];
  /** The file that its output is redirected to. */
  readonly writesTo: string | undefined;
}

/** Set-up and noise: the action only if the line has no other step. */
const SETUP: ReadonlySet<string> = new Set(
  `cd pushd popd export source . set unset sleep echo printf true false : pwd wait alias ulimit umask shopt trap exit
   clear date return local read test [ [[ nvm deactivate`.split(/\s+/),
);
const GRAMMAR: ReadonlySet<string> = new Set('for case select function done fi esac } then else do'.split(' '));
const INSPECTION: ReadonlySet<string> = new Set(
  `ls cat head tail wc sort uniq tee cut tr xargs rm mkdir cp mv touch chmod chown find fd grep egrep fgrep rg sed awk jq
   diff file stat du df which type command whereis kill ps lsof basename dirname realpath less more tree env column`.split(
    /\s+/,
  ),
);

/** How many words select what the program does; programs that are not listed have none. */
const SUBCOMMANDS: ReadonlyMap<string, number> = new Map([
  ...subcommandEntries(
    1,
    'git npm pnpm yarn bun deno pip poetry pipenv cargo go terraform tofu brew apt apt-get yum dnf apk helm',
  ),
  ...subcommandEntries(
    1,
    'docker docker-compose podman kubectl systemctl launchctl service gem bundle rails rake dotnet mvn gradle',
  ),
  ...subcommandEntries(
    1,
    'npx bunx pnpx uvx pipx conda mamba uv rustup alembic flyctl vercel supabase make gmake nvm pyenv hg svn tmux',
  ),
  ...subcommandEntries(2, 'gh aws gcloud az'),
]);

function subcommandEntries(words: number, programs: string): [string, number][] {
  return programs.split(' ').map((program) => [program, words]);
}

/** Subcommands that are followed by a second one. */
const TWO_LEVELS: ReadonlySet<string> = new Set(
  `docker compose,docker container,docker image,docker volume,docker network,podman compose,npm run,pnpm run,yarn run,bun run,
   npm exec,pnpm exec,pnpm dlx,yarn dlx,bun x,uv run,uv pip,uv tool,poetry run,pipenv run,conda run,conda env,bundle exec,
   go mod,git stash,git submodule,git remote,git worktree,kubectl rollout,terraform state,terraform workspace,
   npx prisma,npx nest,uv run python`.split(/,\s*/),
);

/** Global options with a separate value that can precede the subcommand: `git -C dir add`. */
const GLOBAL_VALUED: ReadonlySet<string> = new Set(
  '-C -c --git-dir --work-tree --prefix --context --namespace -n -f --file --project -p --profile --region -w --filter'.split(
    ' ',
  ),
);

/** The simple commands of a normalised command line, and the parsed step of each. */
export interface CommandSteps {
  readonly commands: readonly SimpleCommand[];
  readonly steps: readonly Step[];
  /** The shape of the main step; undefined if there is none. */
  readonly shape?: ActionShape;
}

/** In real sessions, half of the commands were run recently before. An entry takes a few kilobytes. */
const PARSED_COMMANDS = new FifoCache<CommandSteps>(1_000);

/** Parses every simple command of a normalised or raw command line. */
export function parseSteps(command: string): CommandSteps {
  const first = normaliseFirstPass(command);
  return PARSED_COMMANDS.getOrCreate(first, () => {
    const { commands } = normaliseFully(first);
    const steps = commands.map(stepOf);
    const primary = primaryStep(commands, steps);
    return { commands, steps, ...(primary ? { shape: shapeOfStep(commands, steps, primary) } : {}) };
  });
}

function stepOf(command: SimpleCommand, position: number): Step {
  const words = command.words.map((word) => word.text);
  const { index, before } = locateProgram(words);
  const word = words[index] ?? '';
  const program = basename(word);
  const rest = words.slice(index + 1);
  if (command.heredoc) rest.push('[code]');
  const parsed = isPython(program) ? pythonParts(rest) : plainParts(program, rest);
  const writesTo = command.redirects.find(({ operator }) => /^1?>{1,2}\|?$/.test(operator))?.target;
  return { position, program, displayName: shownProgram(word, program), before, writesTo, ...parsed };
}

function shownProgram(word: string, program: string): string {
  if (word === '') return 'set';
  if (!word.includes('/')) return word;
  const extension = /\.[a-z]{1,5}$/.exec(program)?.[0];
  if (extension !== undefined && !/\d$/.test(program)) return `[script:${extension}]`;
  // an interpreter in a project's environment is not the one on the PATH
  return word.startsWith('[path]/') || word.startsWith('[') ? `[path]/${program}` : `[dir]/${program}`;
}

type CommandParts = Pick<Step, 'subcommand' | 'flags' | 'operands'>;

/**
 * Parses the words after a Python interpreter. Everything after the script, the `-c` code or the module name belongs to
 * the program that is run.
 */
function pythonParts(words: readonly string[]): CommandParts {
  const flags: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '-m') {
      const module = words[at + 1] ?? '';
      const inner = plainParts(module, words.slice(at + 2));
      return {
        subcommand: ['-m', module, ...inner.subcommand],
        flags: [...flags, ...inner.flags],
        operands: inner.operands,
      };
    }
    if (/^-[a-zA-Z]{0,4}c$/.test(word)) return { subcommand: [], flags: [...flags, '-c'], operands: ['[code]'] };
    if (!word.startsWith('-') || word === '-') return { subcommand: [], flags, operands: words.slice(at, at + 2) };
    flags.push(flagName(word));
    if (word === '-W' || word === '-X') at += 1;
  }
  return { subcommand: [], flags, operands: [] };
}

function plainParts(program: string, words: readonly string[]): CommandParts {
  const subcommand: string[] = [];
  const flags: string[] = [];
  const operands: string[] = [];
  let expected = isPip(program) ? 1 : (SUBCOMMANDS.get(program) ?? 0);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word.startsWith('-') && word !== '-' && word !== '--') {
      flags.push(flagName(word));
      if (subcommand.length < expected && GLOBAL_VALUED.has(word)) {
        at += 1;
        operands.push(words[at] ?? '');
      }
    } else if (subcommand.length < expected && operandShape(word) === '[word]') {
      subcommand.push(word);
      const path = [program, ...subcommand].join(' ');
      if (TWO_LEVELS.has(path)) expected = subcommand.length + 1;
      if (path === 'uv run python' || isInterpreterInside(program, subcommand))
        return wrappedParts(subcommand, flags, words.slice(at + 1));
    } else if (word !== '--') {
      operands.push(word);
    }
  }
  return { subcommand, flags, operands };
}

function isInterpreterInside(program: string, subcommand: readonly string[]): boolean {
  return (
    ['uv', 'poetry', 'pipenv', 'conda'].includes(program) && subcommand[0] === 'run' && isPython(subcommand[1] ?? '')
  );
}

function wrappedParts(subcommand: readonly string[], flags: readonly string[], words: readonly string[]): CommandParts {
  const inner = pythonParts(words);
  return {
    subcommand: [...subcommand, ...inner.subcommand],
    flags: [...flags, ...inner.flags],
    operands: inner.operands,
  };
}

function flagName(word: string): string {
  const name = /^--?[^=]{0,60}/.exec(word)?.[0] ?? word;
  // `-j4`, `-n100`, `-I[path]/include`: a value attached to a short option
  return /^-[A-Za-z](?:\d|\[)/.test(name) ? name.slice(0, 2) : name;
}

/** The shape of one operand: its kind, never its value. */
export function operandShape(word: string): string {
  if (/^\[path\]\//.test(word) || word.includes('::')) return fileShape(word) ?? '[dir]';
  if (word === '[path]') return '[dir]';
  if (isPlaceholder(word)) return word;
  if (/^\d[\d.]*$/.test(word)) return '[n]';
  if (/[*?{}]/.test(word)) return '[glob]';
  if (word === '.' || word === '..' || word.endsWith('/')) return '[dir]';
  return fileShape(word) ?? (word.includes('/') ? '[dir]' : '[word]');
}

function fileShape(word: string): string | undefined {
  const extension = /\.([A-Za-z][A-Za-z0-9]{0,7})(?:::.{0,200})?$/.exec(word)?.[1];
  return extension === undefined || word.includes('=') ? undefined : `[file:.${extension.toLowerCase()}]`;
}

/** -1 for grammar, 0 for set-up, 1 for inspection, 2 for a main action. */
function weightOf(step: Step): number {
  if (GRAMMAR.has(step.program)) return -1;
  if (SETUP.has(step.program) || step.program === '') return 0;
  if (step.program === 'conda' && step.subcommand[0] === 'activate') return 0;
  return INSPECTION.has(step.program) || isVersionProbe(step) ? 1 : 2;
}

/**
 * The main step of a command line: the one with the highest weight. Of several pipelines the last one, because earlier
 * ones prepare; inside a pipeline the first one, because later ones filter. A step after `||` is a fallback.
 */
function primaryStep(commands: readonly SimpleCommand[], steps: readonly Step[]): Step | undefined {
  let best: Step | undefined;
  let bestWeight = -2;
  for (const step of steps) {
    const joiner = commands[step.position]?.joiner;
    const weight = weightOf(step);
    if (weight > bestWeight || (weight === bestWeight && joiner !== '|' && joiner !== '||')) {
      best = step;
      bestWeight = weight;
    }
  }
  return best;
}

function masksExit(commands: readonly SimpleCommand[], position: number): boolean {
  const pipefail = commands.some(({ words }) => words.some(({ text }) => text === 'pipefail'));
  return commands.slice(position).some(({ joiner, after }, offset, rest) => {
    if (after === '&') return true;
    if (offset === 0) return false;
    if (joiner === '||' || joiner === ';') return true;
    return joiner === '|' && !pipefail && rest.slice(1, offset).every((command) => command.joiner === '|');
  });
}

export function shapeOfStep(commands: readonly SimpleCommand[], steps: readonly Step[], step: Step): ActionShape {
  const flags = [...new Set(step.flags)].sort();
  const operands = [...new Set(step.operands.map(operandShape))].slice(0, 5);
  const coarse = [step.displayName, ...step.subcommand].join(' ');
  return {
    tool: 'shell',
    program: step.displayName,
    ...(step.subcommand.length > 0 ? { subcommand: step.subcommand.join(' ') } : {}),
    flags,
    operands,
    coarse,
    fine: [coarse, ...flags, ...operands].join(' '),
    purpose: writesFile(step) ? 'file:write' : purposeOf(step),
    subjects: subjectsOf(writesFile(step) ? [step.writesTo ?? ''] : step.operands),
    path: pathOf(steps, step),
    masksExit: masksExit(commands, step.position),
    before: setupBefore(steps, step),
  };
}

/** True for `cat > conf.py <<E` and `echo x > f`: they write a file, and their operands are not their subject. */
function writesFile(step: Step): boolean {
  return step.writesTo !== undefined && /^(?:cat|echo|printf)$/.test(step.program);
}

function subjectsOf(operands: readonly string[]): string[] {
  const names = operands.flatMap((word) => {
    const kind = operandShape(word);
    if (kind !== '[word]' && kind !== '[dir]' && !kind.startsWith('[file:')) return [];
    const file = word.replace(/::.{0,200}$/, '');
    const name = basename(isPlaceholder(file) ? '' : file).replace(/(?<=.)(?:@|[=<>!~]=|[<>;[]).*$/, '');
    return name === '' || name === '.' || name === '..' || isPlaceholder(name) ? [] : [name.toLowerCase()];
  });
  return [...new Set(names)].slice(0, 10);
}

/**
 * The literal paths of a step with the changes of folder before it; `./x/` and `x` are the same. Excludes what was run
 * there.
 */
function pathOf(steps: readonly Step[], step: Step): string {
  const moves = steps.slice(0, step.position).filter((one) => /^(?:cd|pushd)$/.test(one.program));
  return [...moves, step]
    .flatMap(({ operands }) => operands)
    .filter((word) => /^\[(?:word|dir|glob|file:)/.test(operandShape(word)))
    .map((word) => word.replace(/^(?:\.\/)+(?=.)/, '').replace(/(?<=.)\/$/, ''))
    .join(' ');
}

/** The set-up steps before a step on the same line: `cd [word]`, `PYTHONPATH=`, `sudo`. */
function setupBefore(steps: readonly Step[], step: Step): string[] {
  const earlier = steps.slice(0, step.position).flatMap((one) => {
    if (one.program === 'export') return one.operands.flatMap((word) => /^\w{1,60}=/.exec(word)?.slice(0, 1) ?? []);
    if (/^(?:cd|pushd|source|\.|conda)$/.test(one.program) && weightOf(one) === 0) {
      return [[one.displayName, ...one.subcommand, ...one.operands.map(operandShape)].join(' ')];
    }
    return [];
  });
  return [...earlier, ...step.before];
}
