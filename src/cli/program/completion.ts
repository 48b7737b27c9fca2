import { Argument, type Command, type Option } from 'commander';
import type { Guildbook } from '../../client/guildbook.js';
import { optional } from '../../platform/base/optional.js';
import { clip } from '../../untrusted/text/clip.js';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { commandProcess } from '../terminal/command-process.js';
import { pauseText } from '../terminal/pause-text.js';
import { oneLine, printJson } from '../terminal/terminal.js';
import { optionsOf, visibleCommands } from './command-tree.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The line that asks the shell to complete the names of files. No candidate begins with a colon. */
const FILES = ':files';

/**
 * The names come from a server, so that any text may be among them. No script evaluates a candidate or a word of the
 * line: bash quotes with `printf %q`, zsh and fish quote what they insert.
 */
const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for guildbook. In ~/.bashrc: source <(guildbook completion bash)
_guildbook() {
  local rest="\${COMP_LINE:0:COMP_POINT}" words=() word trimmed line value quoted i
  # bash splits words also at ":" and "=". Join what has no space between.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    trimmed="\${rest#"\${rest%%[![:space:]]*}"}"
    if ((i == COMP_CWORD)); then word="$trimmed"; fi
    if ((i > 1)) && [[ "$trimmed" == "$rest" ]]; then
      words[\${#words[@]}-1]+="$word"
    elif ((i > 0)); then
      words+=("$word")
    fi
    rest="\${trimmed#"$word"}"
  done
  local current="\${words[\${#words[@]}-1]}"
  local joined="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == "${FILES}" ]]; then
      type compopt &>/dev/null && compopt -o default -o bashdefault
      return
    fi
    value="\${line%%$'\\t'*}"
    printf -v quoted '%q' "$value"
    COMPREPLY+=("\${quoted#"$joined"}")
  done < <(command guildbook complete bash -- "\${words[@]}" 2>/dev/null)
}
complete -F _guildbook guildbook
`,
  zsh: `#compdef guildbook
# zsh completion for guildbook. In ~/.zshrc after compinit: source <(guildbook completion zsh)
_guildbook() {
  local line
  local -a values shown
  for line in "\${(@f)$(command guildbook complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n "$line" ]] || continue
    if [[ "$line" == "${FILES}" ]]; then
      _files
      return
    fi
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  }")
  done
  (( \${#values} )) && compadd -l -d shown -a values
}
if [[ "\${funcstack[1]}" == _guildbook ]]; then
  _guildbook "$@"
else
  compdef _guildbook guildbook
fi
`,
  fish: `# fish completion for guildbook. Save it as ~/.config/fish/completions/guildbook.fish
function __guildbook_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (command guildbook complete fish -- $words "$current" 2>/dev/null)
    if test "$lines" = "${FILES}"
        __fish_complete_path "$current"
    else if test (count $lines) -gt 0
        printf '%s\\n' $lines
    end
end
complete -c guildbook -f -a '(__guildbook_complete)'
`,
};

/** A person waits for this with a finger on the key. */
const TIMEOUT_MS = 2_000;
const LONGEST_DESCRIPTION = 60;

/** Placeholders of files and folders on this machine. */
const FILE_PLACEHOLDERS: ReadonlySet<string> = new Set(['file', 'path', 'paths', 'folder', 'jsonl']);

export function completionCommands(program: Command): void {
  program
    .command('completion')
    .description('print the completion script of a shell; docs/command-line.md says where to put it')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action((shell: Shell) => {
      const script = COMPLETION_SCRIPTS[shell];
      if (program.opts<ConnectionOptions>().json) return printJson({ shell, script });
      commandProcess().stdout.write(script);
    });
  program
    .command('complete', { hidden: true })
    .description('print the candidates for the last of the words, for the completion scripts')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .argument('[words...]')
    .action((shell: Shell, words: string[]) => complete(program, shell, words));
}

/** Prints one candidate on each line, with its description after a tab. Prints nothing if anything fails. */
async function complete(program: Command, shell: Shell, words: readonly string[]): Promise<void> {
  // A slow server must not hold up the shell; the request that is under way is dropped.
  setTimeout(() => commandProcess().exit(0), TIMEOUT_MS).unref();
  const lines = await linesFor(program, shell, words).catch(() => []);
  commandProcess().stdout.write(lines.map((line) => `${line}\n`).join(''));
  commandProcess().exit(0);
}

async function linesFor(program: Command, shell: Shell, words: readonly string[]): Promise<string[]> {
  const typed = words.map((word, at) => readWord(shell, word, at === words.length - 1));
  const isQuoted = shell === 'bash' && unquoted(words.at(-1) ?? '').isQuoted;
  const found = completionAt(program, typed);
  const { placeholder = '', candidates, prefix } = found;
  const isCommand = found.typed !== '' && candidates.some((one) => startsSo(one, found.typed));
  if (FILE_PLACEHOLDERS.has(placeholder) && !isCommand) return [FILES];
  const names = NAMES[placeholder];
  const fromServer = names === undefined ? [] : await names(await connect(optional('server', found.server)));
  return [...candidates, ...fromServer]
    .filter((one) => startsSo(one, found.typed) && isCompletable(one.value))
    .map(({ value, description }) => ({ value: `${prefix}${value}`, description }))
    .filter(({ value }) => !isQuoted || isPlainWord(value))
    .map(({ value, description }) => `${value}\t${oneLine(clip(description, LONGEST_DESCRIPTION))}`);
}

const startsSo = ({ value }: Candidate, typed: string): boolean => value.startsWith(typed);

/** bash passes the words as they were typed, fish only the last one, and zsh none. */
const readWord = (shell: Shell, word: string, isLast: boolean): string =>
  shell === 'bash' || (shell === 'fish' && isLast) ? unquoted(word).text : word;

/**
 * Whether a shell may be given this name: it has one line, nothing that steers a terminal, and cannot be taken for the
 * mark for files. A name that begins like an option is one only in our own tree.
 */
function isCompletable(value: string): boolean {
  return value !== '' && escapeInvisible(value) === value && !/[\n\t]/.test(value) && !value.startsWith(':');
}

/** As many as a person may want to see. */
const MOST = 100;

/** The names that a command accepts for a placeholder, from the server. Every text in them may come from anyone. */
const NAMES: Readonly<Record<string, (client: Guildbook) => Promise<Candidate[]>>> = {
  agent: async (client) => enabled((await client.agents.list()).items).map((one) => named(one.name, one.owner)),
  service: async (client) => enabled((await client.services.list()).items).map((one) => named(one.name, one.owner)),
  person: async (client) => enabled((await client.people.list()).items).map((one) => named(one.name, one.email)),
  skill: async (client) => (await client.skills.list()).items.map((one) => named(one.name, `version ${one.version}`)),
  proposal: async (client) =>
    (await client.proposals.list({ limit: MOST })).items.map((one) => named(one.id, one.title)),
  lesson: async (client) =>
    (await client.lessons({ limit: MOST })).items.map(({ id, lesson }) => named(id, lesson.discovery)),
  run: async (client) => (await client.upkeep.list()).items.map(({ id, startedAt }) => named(id, startedAt)),
  consolidation: async (client) =>
    (await client.consolidation.list()).items.map(({ id, agent, startedAt }) =>
      named(id, `${agent ?? ''} ${startedAt}`),
    ),
  tuning: async (client) =>
    (await client.tuning.runs()).items.map(({ id, kind, state }) => named(id, `${kind} ${state}`)),
  checkpoint: async (client) => (await client.tuning.checkpoints()).items.map(({ id, name }) => named(id, name)),
  family: async (client) =>
    (await client.evolver.families({ limit: MOST })).items.map((one) => named(one.fingerprint, one.signature)),
  pause: async (client) => (await client.pauses.list()).items.map((one) => named(one.id, pauseText(one))),
  webhook: async (client) => (await client.webhooks.list()).items.map(({ id, url }) => named(id, url)),
  stream: async (client) => (await client.auditStreams.list()).items.map(({ id, target }) => named(id, target)),
};

const named = (value: string, description: string | null | undefined): Candidate => ({
  value,
  description: description ?? '',
});

const enabled = <A extends { readonly disabledAt: string | null }>(all: readonly A[]): A[] =>
  all.filter(({ disabledAt }) => disabledAt === null);

/** A word as a person typed it in a shell: its text, and whether it has a quote in it. Nothing is expanded. */
export function unquoted(word: string): { text: string; isQuoted: boolean } {
  let text = '';
  let quote = '';
  let isQuoted = false;
  for (let at = 0; at < word.length; at += 1) {
    const character = word.charAt(at);
    if (character === '\\' && quote !== "'") {
      at += 1;
      text += word.charAt(at);
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      isQuoted = true;
    } else if (character === quote) quote = '';
    else text += character;
  }
  return { text, isQuoted };
}

/** A word that every shell reads as itself, inside and outside quotes. */
export const isPlainWord = (word: string): boolean => /^[\w@%+=:,./-]+$/.test(word);

interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What may stand at the cursor: known words, the names of a kind of thing on the server, or a file. */
interface Completion {
  readonly candidates: readonly Candidate[];
  /** The placeholder of the argument, such as `skill`. */
  readonly placeholder?: string;
  /** What stands before the name in the same word, such as `--skill=`. */
  readonly prefix: string;
  /** The beginning of the word. */
  readonly typed: string;
  /** The address that the words give with `--server`. */
  readonly server?: string;
}

/** Follows the words up to the last one, which the cursor is in, through the tree of commands. */
export function completionAt(program: Command, words: readonly string[]): Completion {
  const typed = words.at(-1) ?? '';
  const position = walk(program, words.slice(0, -1));
  const server = optional('server', position.server);
  const [flag = '', value] = splitOption(typed);
  const given = position.isLiteral ? undefined : optionNamed(position.command, flag);
  if (position.option !== undefined && !(isOption(typed) && position.option.variadic))
    return { ...whatFor(position.option), prefix: '', typed, ...server };
  if (given !== undefined && value !== undefined)
    return { ...whatFor(given), prefix: `${flag}=`, typed: value, ...server };
  if (isOption(typed) && !position.isLiteral)
    return { candidates: takenOptions(position.command), prefix: '', typed, ...server };
  return { ...argumentAt(position), prefix: '', typed, ...server };
}

interface Position {
  command: Command;
  /** Number of arguments before the cursor. */
  given: number;
  /** The option whose value is next. */
  option?: Option | undefined;
  /** After `--`, no word is an option. */
  isLiteral: boolean;
  server?: string;
}

function walk(program: Command, words: readonly string[]): Position {
  const at: Position = { command: program, given: 0, isLiteral: false };
  for (const word of words) {
    if (at.option !== undefined && !(isOption(word) && at.option.variadic)) takeValue(at, word);
    else if (word === '--') Object.assign(at, { isLiteral: true, option: undefined });
    else if (isOption(word) && !at.isLiteral) takeOption(at, word);
    else takeWord(at, word);
  }
  return at;
}

function takeValue(at: Position, word: string): void {
  if (at.option?.long === '--server') at.server = word;
  if (at.option?.variadic !== true) at.option = undefined;
}

function takeOption(at: Position, word: string): void {
  const [flag, value] = splitOption(word);
  const option = optionNamed(at.command, flag);
  at.option = option?.required && value === undefined ? option : undefined;
  if (option?.long === '--server' && value !== undefined) at.server = value;
}

function takeWord(at: Position, word: string): void {
  const command = at.given === 0 && !at.isLiteral ? at.command.commands.find((one) => one.name() === word) : undefined;
  if (command === undefined) at.given += 1;
  else at.command = command;
}

const isOption = (word: string): boolean => word.startsWith('-') && word !== '-';

function splitOption(word: string): [flag: string, value?: string] {
  const at = word.indexOf('=');
  return at < 0 || !word.startsWith('--') ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** A group with a default sub-command takes the options of that command too. */
function takers(command: Command): Command[] {
  // The library has no other way to ask for the default.
  const name: unknown = Reflect.get(command, '_defaultCommandName');
  return [command, ...command.commands.filter((one) => one.name() === name)];
}

const optionNamed = (command: Command, flag: string): Option | undefined =>
  takers(command)
    .flatMap(optionsOf)
    .find(({ long, short }) => flag !== '' && (long === flag || short === flag));

function takenOptions(command: Command): Candidate[] {
  const options = new Map(takers(command).flatMap((one) => optionsOf(one).map((option) => [option.long, option])));
  return [...options.values()].flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

function argumentAt({ command, given, isLiteral }: Position): Pick<Completion, 'candidates' | 'placeholder'> {
  const words = given === 0 && !isLiteral ? candidatesOf(command) : [];
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[given] ?? (last?.variadic ? last : undefined);
  if (argument === undefined) return { candidates: words };
  // `guildbook help` takes the names of commands.
  if (argument.name() === 'command') return { candidates: command.parent === null ? [] : candidatesOf(command.parent) };
  const { candidates, placeholder } = whatFor(argument);
  return { candidates: [...words, ...candidates], ...optional('placeholder', placeholder) };
}

/** The sub-commands that the help lists. */
const candidatesOf = (group: Command): Candidate[] =>
  visibleCommands(group).map((one) => ({ value: one.name(), description: one.description() }));

/** The words, or the placeholder, of what an option or an argument takes. */
function whatFor(taker: Option | Argument): Pick<Completion, 'candidates' | 'placeholder'> {
  if (taker.argChoices !== undefined)
    return { candidates: taker.argChoices.map((value) => ({ value, description: '' })) };
  const placeholder = 'flags' in taker ? /[<[]([\w-]+)/.exec(taker.flags)?.[1] : taker.name();
  return { candidates: [], ...optional('placeholder', placeholder) };
}
