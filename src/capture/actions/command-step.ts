import type { SimpleCommand } from '../../untrusted/shell/command-line.js';
import { fileKindOf } from './action-shape.js';
import { literalText } from './command-content.js';
import { basename, isPip, isPython, locateProgram } from './program.js';
import type { Invocation } from './purpose.js';

/** One parsed simple command. `position`: its index among the commands of the line. */
export interface Step extends Invocation {
  readonly position: number;
  /** The program as displayed: `python`, `[path]/python3`, `bin/test`, `[script:.sh]`. */
  readonly displayName: string;
  /** The file that its output is redirected to. */
  readonly writesTo: string | undefined;
}

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

/** Letters of every script, digits, and the punctuation of paths, flags, versions, variables and globs. */
const PLAIN = /^[\p{L}\p{N}_./:=@%+,~^*?{}[\]$-]{1,160}$/u;
/** `/usr/bin/python3` is another program than `python3`. */
const SYSTEM_PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[\w.+-]{1,60}$/;
const INTERPRETER = /^(?:python|pypy|node|ruby|perl|php|java|bash|sh|zsh)[\d.]{0,6}$/;
/** Not a variable, a glob, or a folder outside. */
const PLACE_IN_PROJECT = /^(?:\.\/)?\.?[\w@+-][\w.@+-]{0,40}(?:\/[\w@+-][\w.@+-]{0,40}){0,4}$/;
/** A word that can select what a program does: no path, number, placeholder or glob. */
const NAME = /^(?!\d[\d.]*$)(?!\.{1,2}$)(?!.*::)[\p{L}\p{N}_.:=@%+,^-]{1,80}$/u;

const isName = (word: string): boolean => NAME.test(word) && fileKindOf(word) === undefined;

/** Parses one simple command. `position`: its index on the line. */
export function stepOf(command: SimpleCommand, position: number): Step {
  const words = command.words.map(literalText);
  const index = locateProgram(words);
  const word = words[index] ?? '';
  const program = basename(word);
  const rest = words.slice(index + 1);
  if (command.heredoc) rest.push('[code]');
  const parsed = isPython(program) ? pythonParts(rest) : plainParts(program, rest);
  const writesTo = command.redirects.find(({ operator }) => /^1?>{1,2}\|?$/.test(operator))?.target;
  const displayName = shownProgram(word, program);
  return { position, program, displayName, writesTo, ...parsed };
}

function shownProgram(word: string, program: string): string {
  if (word === '') return 'set';
  if (!PLAIN.test(word)) return '[text]';
  if (/^\$\{?\w{1,60}\}?$/.test(word)) return '[var]';
  if (!word.includes('/')) return word;
  const extension = /\.[a-z]{1,5}$/.exec(program)?.[0];
  if (extension !== undefined && !/\d$/.test(program)) return `[script:${extension}]`;
  // An interpreter in a project's environment, or at a path, is not the one on the PATH.
  if (word.startsWith('/') && (SYSTEM_PROGRAM.test(word) || INTERPRETER.test(program))) return word;
  if (/^[/[~$]/.test(word)) return `[path]/${program}`;
  // A program of the project is called by its place in it: `bin/test`.
  return PLACE_IN_PROJECT.test(word) ? word : `[dir]/${program}`;
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
    } else if (subcommand.length < expected && isName(word)) {
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
