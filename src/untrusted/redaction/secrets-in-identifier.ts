import type { Redaction } from '../text/redaction.js';
import { redact } from './redact.js';

const ENTROPY = 'high-entropy';
const SEPARATOR = /[^A-Za-z0-9]/g;
/** Most places in an identifier at which a secret is looked for. */
const MAX_STARTS = 8;

/**
 * Returns the known kinds of secrets in an identifier or a name. Most identifiers look random, which makes none of them a
 * secret. A random run also covers a key of a known form inside it (`run-ghp_…`), so each part is examined as well.
 */
export function secretsInIdentifier(identifier: string): Redaction[] {
  const whole = redact(identifier).redactions;
  const known = whole.filter(({ rule }) => rule !== ENTROPY);
  if (known.length > 0 || whole.length === 0) return known;
  for (const { index } of [...identifier.matchAll(SEPARATOR)].slice(0, MAX_STARTS)) {
    const inPart = redact(identifier.slice(index + 1)).redactions.filter(({ rule }) => rule !== ENTROPY);
    if (inPart.length > 0) return inPart;
  }
  return [];
}

/** Returns an identifier as its sender gets it back: as it was sent, or as its reference if it holds a secret. */
export function echoed(identifier: string, reference: string): string {
  return secretsInIdentifier(identifier).length === 0 ? identifier : reference;
}
