import { presentableError } from '../dossiers/presentable-call.js';

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
