import { Argument, type Command } from 'commander';
import type { Guildbook } from '../../client/guildbook.js';
import { optional } from '../../platform/base/optional.js';
import { clip } from '../../untrusted/text/clip.js';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { commandProcess } from '../terminal/command-process.js';
import { pauseText } from '../terminal/pause-text.js';
import { oneLine, printJson } from '../terminal/terminal.js';
import { type Candidate, completionAt } from './completion-words.js';

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
