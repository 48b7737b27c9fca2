/** Keys with which JSON from outside could reach the prototype of an object. */
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/** A text without these holds none of the keys, so that most texts are not walked through. `\u` may spell them. */
const MAY_HOLD = /__proto__|constructor|prototype|\\u/;

/** Returns the first such key of a parsed text, at any depth; undefined if there is none. */
export function prototypeKeyIn(text: string, parsed: unknown): string | undefined {
  if (!MAY_HOLD.test(text)) return undefined;
  const open: unknown[] = [parsed];
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value) && PROTOTYPE_KEYS.has(key)) return key;
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return undefined;
}
