/** A named placeholder, which says what goes in its place: `<image tag>`. */
const PLACEHOLDER = /<[a-z][a-z0-9 -]{0,29}>/g;

/** The pieces of a text: literal text and placeholders, in order. */
export function splitAtPlaceholders(text: string): { readonly text: string; readonly isPlaceholder: boolean }[] {
  const parts: { text: string; isPlaceholder: boolean }[] = [];
  let at = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    if (found.index > at) parts.push({ text: text.slice(at, found.index), isPlaceholder: false });
    parts.push({ text: found[0], isPlaceholder: true });
    at = found.index + found[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isPlaceholder: false });
  return parts;
}

/** Returns whether the text is the pattern with each placeholder replaced by at least one character. Linear. */
export function fills(pattern: string, text: string): boolean {
  const parts = splitAtPlaceholders(pattern);
  let at = 0;
  let mustMove = false;
  for (const [n, part] of parts.entries()) {
    if (part.isPlaceholder) {
      mustMove = true;
      continue;
    }
    const isLast = n === parts.length - 1;
    if (!mustMove) {
      if (!text.startsWith(part.text, at)) return false;
      at += part.text.length;
      continue;
    }
    const found = isLast ? text.length - part.text.length : text.indexOf(part.text, at + 1);
    if (found <= at || !text.startsWith(part.text, found)) return false;
    at = found + part.text.length;
    mustMove = false;
  }
  return mustMove ? at < text.length : at === text.length;
}
