/**
 * Texts from reports that may appear in a text which a person approves and agents read: the normalised shape of an
 * action and a clipped error template, both reduced to a small alphabet.
 */

const MAX_TEMPLATE = 100;
const MAX_ACTION = 80;

/**
 * Words of sentences that address the reader. An error message does not need them; an injection can hardly avoid them.
 */
const ADDRESSES_READER =
  /\b(?:ignore|disregard|forget|override|previous|instructions?|prompt|system|assistant|reviewers?|approve|approved|agents?|you|your|must|please|always|never|secret|password|token|credential|curl|wget|sudo|http|https|www)\b/i;

/** Actions consist of program names, so `curl` and `sudo` are normal there. */
const ACTION_ADDRESSES_READER =
  /\b(?:ignore|disregard|forget|override|previous|instructions?|prompt|assistant|reviewers?|approved?|you|your|must)\b/i;

/**
 * Returns an error template in plain words, at most 100 characters of `A-Za-z0-9 _.:'()-`, with `...` behind what was cut; empty if it addresses the
 * reader.
 */
export function plainTemplate(template: string): string {
  const plain = template
    .normalize('NFKC')
    .slice(0, 400)
    .replace(/\[/g, '(')
    .replace(/\]/g, ')')
    .replace(/[^A-Za-z0-9 _.:'()-]+/g, ' ');
  if (ADDRESSES_READER.test(plain)) return '';
  // Drops the parts in which the shell names itself, a line or a path: `(eval):cd:(n): no such file`.
  const parts = plain
    .split(/:\s*/)
    .filter((part) => !/^\s*(?:\((?:eval|n|path|file|name|dir)\)|line \(n\))?\s*$/.test(part));
  const whole = parts.join(': ').replace(/\s+/g, ' ').trim();
  const shown = clipAtWord(whole, MAX_TEMPLATE);
  return shown === whole ? whole : `${shown} ...`;
}

/** A path inside an action, but for programs of the system, whose folder tells one interpreter from another. */
const PATH = /(?:^|(?<=\s))(?!\/(?:usr\/(?:local\/)?)?s?bin\/[\w.+-]{1,60}(?:\s|$))[^\s/]{0,200}(?<!\])\/\S*/g;

/** Returns a normalised action that may be shown between backticks; undefined if nothing presentable is left. */
export function plainAction(action: string): string | undefined {
  const plain = action
    .normalize('NFKC')
    .replace(/[^A-Za-z0-9 _.:=+,/[\]-]+/g, '')
    .replace(PATH, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[A-Za-z0-9]/.test(plain) || ACTION_ADDRESSES_READER.test(plain.replace(/[_.:=+,/[\]-]/g, ' ')))
    return undefined;
  return clipAtWord(plain, MAX_ACTION);
}

/** Returns the name of an action for a sentence: without operands in brackets, and without a flag left alone at its end. */
export function plainName(action: string): string | undefined {
  const name = plainAction(action.replace(/\[[^\]]{0,40}\](?:\/)?/g, ' '));
  const words = name?.replace(/=(?=\s|$)/g, '').split(' ') ?? [];
  while (words.length > 1 && /^-/.test(words.at(-1) ?? '')) words.pop();
  const plain = words.join(' ').trim();
  return /[A-Za-z0-9]/.test(plain) ? plain : undefined;
}

/** Returns `no-such-directory` in words and `SyntaxError` unchanged; empty for classes without a meaning. */
export function plainErrorClass(name: string): string {
  if (/^(?:unknown|error|traceback|exit-\d{1,3}.*)$/.test(name)) return '';
  return plainTemplate(/[A-Z]/.test(name) ? name : name.replace(/[-_]+/g, ' '));
}

/** Returns at most `max` characters, cut between words if there is a blank in the second half. */
export function clipAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  const space = cut.lastIndexOf(' ');
  return (space > max / 2 ? cut.slice(0, space) : cut).trimEnd();
}
