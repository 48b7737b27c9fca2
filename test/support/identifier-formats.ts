import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const NANOID = `${BASE62}_-`;

const characters = (length: number, alphabet = BASE62): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** Ids as frameworks and providers make them. Each call gives another id. `n`: for formats that count. */
export const IDENTIFIER_FORMATS: Readonly<Record<string, (n: number) => string>> = {
  'OpenAI response': () => `resp_${randomBytes(24).toString('hex')}`,
  'OpenAI chat completion': () => `chatcmpl-${characters(29)}`,
  'Anthropic message': () => `msg_01${characters(22)}`,
  'Anthropic tool use': () => `toolu_01${characters(22)}`,
  ULID: () => `01${characters(24, CROCKFORD)}`,
  nanoid: () => characters(21, NANOID),
  UUID: () => randomUUID(),
  KSUID: () => `2${characters(26)}`,
  hexadecimal: () => randomBytes(16).toString('hex'),
  base64url: () => randomBytes(24).toString('base64url'),
  'run with a date': () => `run-2026-03-31-${characters(8)}`,
  integer: (n) => String(n + 1),
  snowflake: (n) => String(1_450_000_000_000_000_000n + BigInt(n) * 4_194_304n),
};
