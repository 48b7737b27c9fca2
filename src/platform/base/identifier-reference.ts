import { createHmac } from 'node:crypto';

/** 128 bits as 32 letters. No vowels and no digits, so that no rule for secrets takes it for a word or for a token. */
const LETTERS = 'bcdfghjklmnpqrst';
const HASH = `[${LETTERS}]{32}`;
const REFERENCE = new RegExp(`^[a-z]{2,12}~${HASH}$`);
/** The readable beginning of ids such as `resp_…`, `chatcmpl-…` and `run-2026-…`. */
const PREFIX = /^[a-z]{2,12}(?=[^A-Za-z0-9])/;
/** The first part of ids such as `claude-code:<session>:<digest>`: the format that made it. */
const FORMAT = /^[a-z]+(?:-[a-z]+){0,3}$/;
const LONGEST_FORMAT = 20;
/** The digest of the content at the end of an imported id. Two reports of one session differ in it alone. */
const DIGEST = /^[0-9a-f]{8}$/;
/** A word of which a rule for secrets could take the rest of the reference for the value. */
const TELLING = /key|token|secret|pass|pwd|cred|auth|bearer|login|api|account|user|client|^[prs]k$/;
/** Most parts of an id with separate references. An id with more has one reference for the rest. */
const MAX_PARTS = 3;

const keyed = (key: Uint8Array, text: string): string => createHmac('sha256', key).update(text).digest('hex');

const PLAIN = /^[!-~]+$/;
const UUID = /^(?:urn:uuid:)?\{?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\}?$/i;

/**
 * The one spelling of an identifier: without compatibility forms, invisible characters and blanks around it, and a UUID
 * in lower case. Other identifiers keep their case: most programs use both as digits.
 */
function oneSpelling(identifier: string): string {
  const text = PLAIN.test(identifier)
    ? identifier
    : identifier
        .normalize('NFKC')
        .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
        .normalize('NFKC')
        .replace(/\s+/g, ' ')
        .trim();
  return UUID.exec(text)?.[1]?.toLowerCase() ?? text;
}

/**
 * Returns the reference under which an identifier from outside is stored: `resp_68f…` becomes `resp~` and a keyed hash.
 * An identifier can hold a secret, so its text is not stored; and it is never redacted, because two identifiers with one
 * marker would be the same. Spellings of one identifier have one reference. The reference of a reference is itself, so that a
 * caller can send back what it was shown. Ids of several parts (`format:session:digest`) keep their parts.
 */
export function identifierReference(key: Uint8Array, identifier: string): string {
  const spelled = oneSpelling(identifier);
  const [first = '', ...rest] = spelled.split(':');
  if (rest.length === 0 || !isFormat(first)) return wholeReference(key, spelled);
  const digest = rest.length > 1 && DIGEST.test(rest.at(-1) ?? '') ? rest.pop() : undefined;
  const parts =
    rest.length <= MAX_PARTS ? rest : [...rest.slice(0, MAX_PARTS - 1), rest.slice(MAX_PARTS - 1).join(':')];
  const references = parts.map((part) => wholeReference(key, oneSpelling(part)));
  return [first, ...references, ...(digest === undefined ? [] : [digest])].join(':');
}

/** Returns a keyed hash of an identifier that is only compared and never shown. */
export function identifierKey(key: Uint8Array, identifier: string): string {
  return keyed(key, oneSpelling(identifier)).slice(0, 32);
}

function wholeReference(key: Uint8Array, identifier: string): string {
  if (REFERENCE.test(identifier)) return identifier;
  const prefix = PREFIX.exec(identifier)?.[0] ?? '';
  const letters = [...keyed(key, identifier).slice(0, 32)].map((digit) => LETTERS[Number.parseInt(digit, 16)]).join('');
  return `${prefix === '' || TELLING.test(prefix) ? 'id' : prefix}~${letters}`;
}

const isFormat = (text: string): boolean => text.length <= LONGEST_FORMAT && FORMAT.test(text) && !TELLING.test(text);
