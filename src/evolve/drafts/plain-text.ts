import { presentableError } from '../dossiers/presentable-call.js';

/** Returns the name of an action for a sentence: without operands in brackets, and without a flag left alone at its end. */
export function plainName(action: string): string | undefined {
  const name = presentableError(action.replace(/\[[^\]]{0,40}\](?:\/)?/g, ' ')).replace(/<[^<>]{0,60}>/g, ' ');
  const words = name.replace(/=(?=\s|$)/g, '').split(/\s+/);
  while (words.length > 1 && /^-/.test(words.at(-1) ?? '')) words.pop();
  const plain = clipAtWord(words.join(' ').trim(), LONGEST_NAME);
  return /[A-Za-z0-9]/.test(plain) ? plain : undefined;
}

const LONGEST_NAME = 80;

/** Returns `no-such-directory` in words and `SyntaxError` unchanged; empty for classes without a meaning. */
export function plainErrorClass(name: string): string {
  if (/^(?:unknown|error|traceback|exit-\d{1,3}.*)$/.test(name)) return '';
  return presentableError(/[A-Z]/.test(name) ? name : name.replace(/[-_]+/g, ' '));
}

/** Returns at most `max` characters, cut between words if there is a blank in the second half. */
export function clipAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  const space = cut.lastIndexOf(' ');
  return (space > max / 2 ? cut.slice(0, space) : cut).trimEnd();
}
