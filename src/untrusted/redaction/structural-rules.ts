import { looksLikeWords } from '../text/letter-pairs.js';
import { characterClassChanges, characterKinds, countDigits, entropy, isMostlyWords } from './entropy.js';
import {
  holdsSession,
  isExpression,
  isIdentifier,
  isPattern,
  isPlaceholderValue,
  isWords,
} from './placeholder-values.js';
import { place, type SecretRule } from './secret-rule.js';

const NAME = [
  'pass(?:word|wd|phrase|code)s?',
  '(?<![a-z])pass(?![a-z])',
  'pwd',
  'secrets?',
  'tokens?',
  'credentials?',
  'creds',
  'cookie',
  '(?:api|app|access|auth|account|client|encryption|license|master|private|service|shared|signing|storage)[_-]?keys?',
  '(?:conn|connection)[_-]?strings?',
  'session[_-]?id',
  'webhook[_-]?url',
].join('|');

const NAME_KEYWORDS = 'pass|pwd|secret|token|cred|cookie|key|string|session|webhook';

/**
 * After the name: the rest of the identifier, a closing quote (escaped, in JSON inside JSON) or bracket, a type
 * annotation.
 */
const NAMED = String.raw`(?:${NAME})[\w.-]{0,40}[\\'"\x60\])]{0,3}[ \t]{0,5}(?::?[ \t]{0,3}(?:string|str)[ \t]{0,3}(?==))?`;
const ASSIGNS = '===?|!==?|:{1,3}=|[.?]=|=>|<<<';

const ADDRESS_WITHOUT_LOGIN = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^@]*$/i;
const CODE = /^(?:[\w.$]+[([{][\w.()[\]{}:*,&$= -]*|(?:\+\+|--)\w+)$/;
const DOTTED_NAME = /^[\w-]+(?:\.[\w-]+)+$/;
/** `password=user_password`, `pwd=args.pwd`: the name of a value in code. */
const NAMES_A_VALUE =
  /pass|pwd|secret|cred|token|config|settings|args|input|value|^[\w-]+(?:\.[\w-]+)+$|^\$|[({]|^[~.]{0,2}\/[a-z]{2,20}\/[\w./-]{1,80}$/i;
const FORMAT_SPECIFIER = /^[^A-Za-z0-9]*(?:%[sdvqw]|\{\}|\$?\{\{?[A-Za-z_ .]{1,60}\}\}?)[^A-Za-z0-9]*$/;

/**
 * True for list items such as `('token', 'baseType')` or `token, "Invalid token"`, which are not a name and its value.
 */
const isListItem = (name: string): boolean => /[,(]\s{0,5}['"\x60]?$/.test(name);

/**
 * True if a person may have chosen words as the secret: any text for a password, a text without blanks for a secret or
 * a credential.
 */
const isPasswordLike = (name: string, value: string): boolean =>
  !isListItem(name) && (/pass|pwd/i.test(name) || (/secret|cred/i.test(name) && !value.includes(' ')));

function isQuotedValue(value: string, match: string): boolean {
  if (isPlaceholderValue(value) || ADDRESS_WITHOUT_LOGIN.test(value) || FORMAT_SPECIFIER.test(value)) return false;
  // What stands between two texts: `expect "password:" { send "…"`.
  if (entropy(value) < 2 || /^\s?[;{]\s.{0,200}\s$/.test(value)) return false;
  const name = match.slice(0, -value.length - 1);
  if (/\)\s{0,5},\s{0,5}['"\x60]$/.test(name) || name.toLowerCase().includes(value.toLowerCase())) return false;
  if (!isPasswordLike(name, value) && (isWords(value) || isIdentifier(value))) return false;
  return (
    countDigits(value) > 0 ||
    !(/^[a-z][a-z0-9_./-]*$/.test(value) || /^[A-Z][A-Z_]+$/.test(value) || DOTTED_NAME.test(value))
  );
}

function isBareValue(value: string, match: string): boolean {
  if (isPlaceholderValue(value) || ADDRESS_WITHOUT_LOGIN.test(value) || CODE.test(value) || isExpression(value))
    return false;
  // `[{` before the value may also belong to a pattern; `[Token revocation](https://…)` is a link.
  if (isPattern(match) || value.includes('](')) return false;
  if (!isPasswordLike(match.slice(0, -value.length), value) && isIdentifier(value)) return false;
  if (/^[0-9]{14,}$/.test(value)) return true;
  const bits = entropy(value);
  if (countDigits(value) >= 1 && bits > 2.6 && characterKinds(value) >= 2) return true;
  const symbols = value.match(/[^A-Za-z0-9_./:()-]/g)?.length ?? 0;
  return value.length >= 12 && symbols >= 3 && bits > 3;
}

/** Keys that are recognised by their own form. */
export const KEY_RULES: readonly SecretRule[] = [
  {
    // Includes the body, because the header line alone is no secret. The body ends at the next run of hyphens.
    id: 'private-key',
    keywords: ['-----begin'],
    window: { before: 0, after: 41_000 },
    pattern:
      /-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,40000}-----END[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----/dg,
  },
  {
    id: 'private-key-cut',
    keywords: ['-----begin'],
    window: { before: 0, after: 41_000 },
    pattern:
      /-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]){0,8}[A-Za-z0-9+/=]{8}[A-Za-z0-9+/=\s\\]{0,40000}/dg,
  },
  {
    id: 'jwt',
    keywords: ['.ey'],
    window: { before: 4_100, after: 80 },
    pattern: /(?<![A-Za-z0-9])ey[A-Za-z0-9_-]{10,4000}\.ey[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,2000}){0,4}/dg,
  },
];

/** Locations in which programs and protocols put secrets. */
export const LOCATION_RULES: readonly SecretRule[] = [
  place(
    'url-login',
    '://',
    80,
    160,
    /\b[a-z][a-z0-9+.-]{1,30}:\/\/(?:[^\s/:@'"<>]{0,256}:([^\s/'"<>]{3,256})|([^\s/:@'"<>]{16,256}))@/dgi,
  ),
  place(
    'url-parameter',
    'key=|token=|secret=|password=|passwd=|pwd=|sig=|signature=|code=|auth=|credential=',
    80,
    160,
    /[?&;][\w.-]{0,30}(?:key|token|secret|password|passwd|pwd|sig|signature|code|auth|credential)=([^\s&'"<>#]{8,1024})/dgi,
    (value) => !isPlaceholderValue(value) && countDigits(value) > 0,
  ),
  place(
    'authorization-header',
    'authorization',
    80,
    160,
    /\b(?:proxy-)?authorization['"]?\s{0,5}[:=]\s{0,5}['"]?(?:[A-Za-z]{1,20}\s{1,5})?([^\s'",]{8,2048})/dgi,
    (value) => !isPlaceholderValue(value) && !CODE.test(value) && !isExpression(value) && !/^\$\{/.test(value),
  ),
  place(
    'authorization-scheme',
    'bearer|basic|digest|apikey|token',
    80,
    160,
    /\b(?:bearer|basic|digest|apikey|token)\s{1,5}([A-Za-z0-9._~+/=:-]{16,2048})/dgi,
    (value) =>
      !isPlaceholderValue(value) &&
      (countDigits(value) > 1 || (characterClassChanges(value) > 4 && !isMostlyWords(value))),
  ),
  place(
    'cookie-header',
    'cookie',
    80,
    160,
    /\bcookie['"]?\s{0,3}:\s{0,3}['"]?([\w.-]{1,80}=[^\n'"]{6,2048})/dgi,
    holdsSession,
  ),
  {
    id: 'password-hash',
    keywords: '$1$|$2a$|$2b$|$2y$|$5$|$6$|$y$|$argon2'.split('|'),
    pattern: /\$(?:1|2[aby]|5|6|y|argon2id?)\$[./A-Za-z0-9$=,+-]{20,200}/dg,
  },
  // A password needs no digit. A name and value without blanks around `=`, as in a command or a connection string,
  // are not prose.
  place(
    'password',
    'password|passwd|passphrase|pwd|_pass=|&pass=',
    80,
    160,
    /(?:password|passwd|passphrase|pwd|[_&]pass)=['"]?([^\s'"\x60,;&<>]{6,256})/dgi,
    (value) => !isPlaceholderValue(value) && !CODE.test(value) && !NAMES_A_VALUE.test(value),
  ),
];

/** Values with secret-like names. */
export const NAME_RULES: readonly SecretRule[] = [
  // `name_live_…`: providers mark the kind of a key in this way, following Stripe.
  place(
    'marked-key',
    '_live_|_test_|_prod_|_sandbox_|_pat_|_sk_|_sat_|sk_|pat_|live_|test_|key_',
    80,
    160,
    /(?<![A-Za-z0-9])(?:[a-z0-9]{1,16}_){0,2}(?:live|test|prod|sandbox|pat|sk|sat|key)_(?:[a-z]{2,8}_){0,2}[A-Za-z0-9]{20,200}(?![A-Za-z0-9])/dg,
    (secret) => countDigits(secret) >= 4 && !looksLikeWords(secret),
  ),
  place(
    'quoted-value',
    NAME_KEYWORDS,
    80,
    160,
    new RegExp(
      String.raw`${NAMED}(?:${ASSIGNS}|[:=,(])\s{0,5}\\{0,3}(?:"([^"\n]{5,8192}[^"\n\\])\\{0,3}"|'([^'\n]{5,8192}[^'\n\\])\\{0,3}'|\x60([^\x60\n]{5,8192}[^\x60\n\\])\\{0,3}\x60)`,
      'dgi',
    ),
    isQuotedValue,
  ),
  place(
    'named-value',
    NAME_KEYWORDS,
    80,
    160,
    new RegExp(
      String.raw`${NAMED}(?:(?:${ASSIGNS}|[:=>])\s{0,5}|[ \t](?:is[ \t])?)[\\'"\x60{(\[]{0,3}([^\s'"\x60,;<>]{5,8192}[^\s'"\x60,;<>\\])`,
      'dgi',
    ),
    isBareValue,
  ),
];
