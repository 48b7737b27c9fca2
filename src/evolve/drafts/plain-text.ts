/**
 * What other agents' reports may contribute to a text that a person approves and agents read (threats 7.1, 7.19): the
 * normalised shape of an action and a clipped error template, both cut down to a small alphabet.
 */

const MAX_TEMPLATE = 100;
const MAX_ACTION = 80;

/** Words of sentences that address the reader. An error message does not need them; an injection hardly does without. */
const ADDRESSES_READER =
  /\b(?:ignore|disregard|forget|override|previous|instructions?|prompt|system|assistant|reviewers?|approve|approved|agents?|you|your|must|please|always|never|secret|password|token|credential|curl|wget|sudo|http|https|www)\b/i;

/** An action is made of names of programs, so `curl` and `sudo` are nothing strange there. */
const ACTION_ADDRESSES_READER =
  /\b(?:ignore|disregard|forget|override|previous|instructions?|prompt|assistant|reviewers?|approved?|you|your|must)\b/i;

/** An error template in plain words, at most 100 characters of `A-Za-z0-9 _.:'()-`; empty when it talks to the reader. */
export function plainTemplate(template: string): string {
  const plain = template
    .normalize('NFKC')
    .slice(0, 400)
    .replace(/\[/g, '(')
    .replace(/\]/g, ')')
    .replace(/[^A-Za-z0-9 _.:'()-]+/g, ' ');
  if (ADDRESSES_READER.test(plain)) return '';
  // Where the shell says who speaks, in which line and of which path, nothing is lost: `(eval):cd:(n): no such file`.
  const parts = plain.split(/:\s*/).filter((part) => !/^\s*(?:\((?:eval|n|path|file|name|dir)\))?\s*$/.test(part));
  return clipAtWord(parts.join(': ').replace(/\s+/g, ' ').trim(), MAX_TEMPLATE);
}

/** A normalised action as it may be shown between backticks, or undefined when nothing presentable is left of it. */
export function plainAction(action: string): string | undefined {
  const plain = action
    .normalize('NFKC')
    .replace(/[^A-Za-z0-9 _.:=+,/[\]-]+/g, '')
    .replace(/(?:^|(?<=\s))[^\s/]{0,200}(?<!\])\/\S*/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[A-Za-z0-9]/.test(plain) || ACTION_ADDRESSES_READER.test(plain.replace(/[_.:=+,/[\]-]/g, ' ')))
    return undefined;
  return clipAtWord(plain, MAX_ACTION);
}

/** `no-such-directory` in words, `SyntaxError` as it is; empty for classes that say nothing. */
export function plainErrorClass(name: string): string {
  if (/^(?:unknown|error|traceback|exit-\d{1,3}.*)$/.test(name)) return '';
  return plainTemplate(/[A-Z]/.test(name) ? name : name.replace(/[-_]+/g, ' '));
}

/** At most `max` characters, cut between words where there is one near the end. */
export function clipAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  const space = cut.lastIndexOf(' ');
  return (space > max / 2 ? cut.slice(0, space) : cut).trimEnd();
}
