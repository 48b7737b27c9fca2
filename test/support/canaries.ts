/** Invented secrets in the formats of providers, assembled at run time so that no file contains one. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Pseudo-random letters and digits, determined by `seed`. */
function random(seed: number, length: number, alphabet = ALPHABET): string {
  let state = (seed + 1) * 2_654_435_761;
  return Array.from({ length }, () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return alphabet[(state >>> 8) % alphabet.length];
  }).join('');
}

const FORMS: readonly ((seed: number) => string)[] = [
  (seed) => `${'gh'}p_${random(seed, 36)}`,
  (seed) => `${'glp'}at-${random(seed, 20)}`,
  (seed) => `${'AK'}IA${random(seed, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  (seed) => `${'sk-'}ant-api03-${random(seed, 93)}AA`,
  (seed) => `${'np'}m_${random(seed, 36)}`,
];

export interface Canary {
  readonly transform: string;
  /** The text that contains the secret. */
  readonly text: string;
  /** Strings that must occur nowhere: the secret and its encoded forms. */
  readonly gone: readonly string[];
}

const wide = (text: string): string => text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));

/** The forms in which programs print a secret. */
const TRANSFORMS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  quoted: (secret) => `'${secret}'`,
  'JSON-escaped': (secret) => JSON.stringify({ token: secret }).replaceAll('"', '\\"'),
  'trailing punctuation': (secret) => `(${secret}).`,
  'upper-case name': (secret) => `API_TOKEN=${secret}`,
  'lower-case name': (secret) => `api_token: ${secret}`,
  'URL userinfo': (secret) => `https://user:${secret}@git.example.org/x`,
  'URL-encoded': (secret) => `token=${secret.replace(/[_-]/g, (c) => (c === '_' ? '%5F' : '%2D'))}`,
  base64: (secret) => `authorization: Basic ${Buffer.from(`user:${secret}`).toString('base64')}`,
  'zero-width inside': (secret) => `${secret.slice(0, 9)}\u200b${secret.slice(9)}`,
  'full-width': wide,
  'in a header': (secret) => `Authorization: Bearer ${secret}`,
};

export const CANARY_COUNT = 200;

/** The n-th of two hundred canaries: five provider formats in twelve encodings. */
export function canary(n: number): Canary {
  const names = Object.keys(TRANSFORMS);
  const transform = names[n % names.length] ?? 'plain';
  const secret = FORMS[Math.floor(n / names.length) % FORMS.length]?.(n) ?? '';
  const text = TRANSFORMS[transform]?.(secret) ?? secret;
  // The random part alone also counts as a leak.
  const core = secret.slice(-14);
  const encoded = /Basic (\S+)/.exec(text)?.[1];
  return { transform, text, gone: [core, wide(core), ...(encoded === undefined ? [] : [encoded])] };
}
