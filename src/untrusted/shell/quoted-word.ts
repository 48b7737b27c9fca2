import { parseCommandLine, type Word } from './command-line.js';

/** Characters that a shell leaves alone outside quotes; globs, variables and braces keep their meaning. */
const BARE = /^(?!#)[\p{L}\p{N}_./:=@%+,~^*?{}[\]$!-]{1,1000}$/u;

/** The same without globs, variables and braces, which quotes would switch off. */
const LITERAL = /^(?!#)(?:[\p{L}\p{N}_./:=@%+,^-]|\[[a-z]{1,8}\]|\[REDACTED:[a-z0-9-]{1,64}\]){1,1000}$/u;

/** Writes a text as one word of a command line, with the quotes of `like` if it needs any. */
export function quoteWord(text: string, like = ''): string {
  const quote = /['"]/.exec(like)?.[0];
  if ((quote === undefined ? BARE : LITERAL).test(text)) return text;
  if (quote !== '"' && !text.includes("'")) return `'${text}'`;
  return `"${text.replace(/[\\"`]|\$(?=[('])/g, '\\$&')}"`;
}

/**
 * True if the word as it is written is read as the same word in front of another one. An open quote and a line break
 * are not.
 */
export function standsAlone({ text, quoted, code, source }: Word): boolean {
  if (BARE.test(source)) return true;
  if (/[\n\r]/.test(source)) return false;
  const [command, ...more] = parseCommandLine(`${source} x`);
  const [word, next] = command?.words ?? [];
  const same = word?.text === text && word.quoted === quoted && word.code === code;
  return same && next?.text === 'x' && command?.words.length === 2 && more.length === 0;
}
