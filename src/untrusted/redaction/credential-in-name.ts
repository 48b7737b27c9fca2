import { plainText } from '../text/plain-text.js';
import { isRandomWithoutContext } from './entropy.js';
import { redact } from './redact.js';
import { findSecrets } from './secret-spans.js';
import { secretsInIdentifier } from './secrets-in-identifier.js';

/** More than any name needs. */
const SCAN_BUDGET = 1_000_000;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const LONG_RUN = /[A-Za-z0-9_-]{32,100}/g;
const LEADING_WORDS = /^(?:[a-z]{1,20}[-_]){1,5}/;
/** The ids in names (ULID, nanoid, KSUID) and the ends of pod names are shorter than a random credential. */
const LONGEST_ID = 31;
/** A random part after one of these words is a credential of any length. */
const ANNOUNCED = /(?:key|token|secret|passw(?:or)?d|pwd|credentials?|bearer)[^\p{L}\p{N}]{1,3}$/iu;

/** True if a name of an agent, a person, a service, a role or a department holds what looks like a credential. */
export function hasCredential(name: string): boolean {
  const text = plainText(name).replace(UUID, '');
  const secrets = findSecrets(text, { remaining: SCAN_BUDGET });
  if (secrets === 'too costly') return true;
  return (
    secretsInIdentifier(text).length > 0 ||
    secrets.some(({ start }) => ANNOUNCED.test(text.slice(0, start))) ||
    [...text.matchAll(LONG_RUN)].some(([run]) => isLongAndRandom(run.replace(LEADING_WORDS, '')))
  );
}

const isLongAndRandom = (text: string): boolean => text.length > LONGEST_ID && isRandomWithoutContext(text);

/**
 * Returns a name as it may be stored and shown: unchanged, so that two names never get the same marker, unless it holds
 * a credential.
 */
export function redactName(name: string): string {
  return hasCredential(name) ? redact(name).text : plainText(name);
}
