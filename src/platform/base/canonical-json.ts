import { createHash } from 'node:crypto';
import { compareText } from './compare-text.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Serialises a JSON value so that equal values have equal bytes: keys sorted by code unit, no white space, members with
 * `undefined` left out. The result equals RFC 8785 for everything that the server stores. Throws TypeError for numbers
 * that are not finite and for objects other than plain ones.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('canonical JSON has no NaN and no infinity');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  // A Date, a Map or a Set has no members, so that each would become the same `{}` with the same hash.
  if (typeof value === 'object' && Object.prototype.toString.call(value) === '[object Object]') {
    let members = '';
    const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
    for (const [key, member] of entries) {
      if (member === undefined) continue;
      members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
    }
    return `{${members}}`;
  }
  throw new TypeError(`canonical JSON cannot hold ${Object.prototype.toString.call(value)}`);
}

/** Returns the SHA-256 of bytes or of UTF-8 text as 64 hex digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
