import type { SimpleCommand } from '../shell/command-line.js';
import type { Danger } from './danger.js';

const DOWNLOADERS: ReadonlySet<string> = new Set(
  'curl wget wget2 aria2c http https xh fetch iwr irm invoke-webrequest invoke-restmethod nc ncat scp'.split(' '),
);
/** Programs that run what they read. */
const RUNNERS: ReadonlySet<string> = new Set(
  'sh bash zsh dash ksh ash fish python python2 python3 node perl ruby php deno bun pwsh powershell iex eval source . osascript psql mysql'.split(
    ' ',
  ),
);
const SKIPPED: ReadonlySet<string> = new Set('sudo doas env command exec nohup time'.split(' '));

/**
 * Downloads that are run at once, however they are written: `curl … | sh`, `bash <(curl …)`, `sh -c "$(curl …)"`,
 * and `curl -o x.sh … && sh x.sh`. The manual of no program recommends it without a check of what was downloaded.
 */
export function downloadsThatRun(commands: readonly SimpleCommand[]): Danger[] {
  const found: Danger[] = [];
  const downloaded = new Set<string>();
  let piped: string | undefined;
  commands.forEach((command, at) => {
    const { program, operands } = readWords(command);
    if (command.joiner !== '|') piped = undefined;
    if (piped !== undefined && RUNNERS.has(program)) add(found, piped, program);
    if (DOWNLOADERS.has(program)) {
      piped = program;
      for (const name of operands.map(baseName)) if (name !== '') downloaded.add(name);
    } else if (runsFile(command, downloaded)) add(found, 'download', program);
    if (!RUNNERS.has(program)) return;
    const inner = command.nested.map(({ text }) => text);
    const substituted = command.redirects.some(({ operator, target }) => operator === '<' && target === '');
    const next = commands[at + 1];
    if (inner.some((text) => isDownload(text)) || (substituted && next && DOWNLOADERS.has(readWords(next).program)))
      add(found, 'download', program);
  });
  return found;
}

function add(found: Danger[], from: string, into: string): void {
  found.push({ class: 'source', program: into, form: `${from} | ${into}` });
}

const isDownload = (text: string): boolean =>
  DOWNLOADERS.has(baseName(/^\s{0,20}([^\s]{1,200})/.exec(text)?.[1] ?? ''));

function runsFile(command: SimpleCommand, downloaded: ReadonlySet<string>): boolean {
  const { program, operands, word } = readWords(command);
  if (word.includes('/') && downloaded.has(program)) return true;
  return RUNNERS.has(program) && operands.slice(0, 1).some((operand) => downloaded.has(baseName(operand)));
}

function readWords({ words }: SimpleCommand): { program: string; operands: string[]; word: string } {
  const texts = words.slice(0, 100).map(({ text }) => text);
  const at = texts.findIndex((text) => !SKIPPED.has(text) && !text.startsWith('-') && !/^\w{1,60}=/.test(text));
  const word = texts[at] ?? '';
  return { program: baseName(word), operands: texts.slice(at + 1).filter((text) => !text.startsWith('-')), word };
}

function baseName(text: string): string {
  const plain = text.split(/[?#]/, 1)[0] ?? '';
  return plain.slice(plain.lastIndexOf('/') + 1);
}
