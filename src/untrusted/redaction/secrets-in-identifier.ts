import type { Redaction } from '../text/redaction.js';
import { redact } from './redact.js';

/** Returns the known kinds of secrets in an identifier. Most identifiers look random, which makes none of them a secret. */
export function secretsInIdentifier(identifier: string): Redaction[] {
  return redact(identifier).redactions.filter(({ rule }) => rule !== 'high-entropy');
}

/** Returns an identifier as its sender gets it back: as it was sent, or as its reference if it holds a secret. */
export function echoed(identifier: string, reference: string): string {
  return secretsInIdentifier(identifier).length === 0 ? identifier : reference;
}
