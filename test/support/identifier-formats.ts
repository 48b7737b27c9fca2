import { createHash } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const NANOID = `${BASE62}_-`;

/** 32 bytes that look random and are the same in each run: a random id can start like a known kind of key (`r8_`). */
const bytesOf = (n: number): Buffer => createHash('sha256').update(`identifier ${n}`).digest();

const hex = (n: number, bytes: number): string => bytesOf(n).subarray(0, bytes).toString('hex');
const characters = (n: number, length: number, alphabet = BASE62): string =>
  Array.from(bytesOf(n).subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('');

/** Ids as frameworks and providers make them: another for each `n`. */
export const IDENTIFIER_FORMATS: Readonly<Record<string, (n: number) => string>> = {
  'OpenAI response': (n) => `resp_${hex(n, 24)}`,
  'OpenAI chat completion': (n) => `chatcmpl-${characters(n, 29)}`,
  'Anthropic message': (n) => `msg_01${characters(n, 22)}`,
  'Anthropic tool use': (n) => `toolu_01${characters(n, 22)}`,
  ULID: (n) => `01${characters(n, 24, CROCKFORD)}`,
  nanoid: (n) => characters(n, 21, NANOID),
  UUID: (n) => hex(n, 16).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5'),
  KSUID: (n) => `2${characters(n, 26)}`,
  hexadecimal: (n) => hex(n, 16),
  base64url: (n) => bytesOf(n).subarray(0, 24).toString('base64url'),
  'run with a date': (n) => `run-2026-03-31-${characters(n, 8)}`,
  integer: (n) => String(n + 1),
  snowflake: (n) => String(1_450_000_000_000_000_000n + BigInt(n) * 4_194_304n),
};
