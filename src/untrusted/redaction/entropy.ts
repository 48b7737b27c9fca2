import { looksLikeWords } from '../text/letter-pairs.js';

/** Returns the Shannon entropy of a string, in bits per UTF-16 code unit. */
export function entropy(text: string): number {
  const counts = new Map<number, number>();
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

export function countDigits(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 48 && unit <= 57) count++;
  }
  return count;
}

/** Returns how many of the four kinds of characters occur: lower case, upper case, digits, others. */
export function characterKinds(text: string): number {
  return [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(text)).length;
}

/**
 * Returns the number of changes between lower case, upper case and digits: many in a key, few in a name such as
 * `utf8Decoder2`.
 */
export function characterClassChanges(text: string): number {
  let count = 0;
  let before = '';
  for (const unit of text.split('')) {
    const kind = /[a-z]/.test(unit) ? 'a' : /[A-Z]/.test(unit) ? 'A' : /[0-9]/.test(unit) ? '0' : '';
    if (kind !== '' && before !== '' && kind !== before) count++;
    before = kind;
  }
  return count;
}

/** True if most of the text is words in camel, snake or kebab case: an identifier, not a key. */
export function isMostlyWords(text: string): boolean {
  const words = text.match(/[A-Z]?[a-z]{3,}|[A-Z]{4,}(?![a-z0-9])/g) ?? [];
  return words.join('').length > text.length * 0.55;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^(?:0x)?[0-9a-fA-F]+$/;
const NUMBER_LIKE = /^(?:\d{4}-\d\d-\d\d[T_]?[\d:.Z+-]{0,24}|0x[0-9a-fA-F]{1,16}|[\d.,:_/-]+)$/;

/**
 * True if a token near a word such as "token" or "password" looks random. The thresholds were measured for tokens with
 * such a word beside them; without it they would also match commit ids and names.
 */
export function looksRandom(token: string): boolean {
  if (token.length < 12 || NUMBER_LIKE.test(token)) return false;
  if (UUID.test(token)) return true;
  const isHex = HEX.test(token);
  if (!isHex && looksLikeWords(token)) return false;
  const bits = entropy(token);
  if (isHex) return countDigits(token) > 1 && (token.length >= 32 ? bits > 3 : token.length >= 14 && bits > 2.8);
  if (countDigits(token) < 2)
    return token.length >= 16 && bits >= 3.5 && characterClassChanges(token) >= 6 && !isMostlyWords(token);
  return token.length < 20
    ? bits >= 2.9 && characterClassChanges(token) >= 4
    : bits >= 3 && characterClassChanges(token) >= 3;
}

/**
 * Like `looksRandom`, but strict enough for a token without such a word: it requires digits and letter pairs that occur
 * in no language. Excludes hexadecimal fingerprints and UUIDs, which logs are full of.
 */
export function isRandomWithoutContext(token: string): boolean {
  if (token.length < 20 || countDigits(token) < 2 || UUID.test(token) || HEX.test(token)) return false;
  return !looksLikeWords(token) && entropy(token) >= 3.5 && characterClassChanges(token) >= 6;
}
