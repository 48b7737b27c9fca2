import { Argument, type Command } from 'commander';
import { optional } from '../../platform/base/optional.js';
import { clip } from '../../untrusted/text/clip.js';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { commandProcess } from '../terminal/command-process.js';
import { oneLine, printJson } from '../terminal/terminal.js';
import { NAMES } from './completion-names.js';
import { COMPLETION_SCRIPTS, FILES, SHELLS, type Shell } from './completion-scripts.js';
import { type Candidate, completionAt } from './completion-words.js';
import { isPlainWord, unquoted } from './shell-word.js';

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
