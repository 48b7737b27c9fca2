import { looksLikeWords } from '../text/letter-pairs.js';
import { countDigits, isMostlyWords } from './entropy.js';

const PLACEHOLDER_VALUE =
  /^(?:x+|\*+|\.+|<.*>|\$\{.*\}|\{\{.*\}\}|\$\(?[A-Za-z_]\w*|%[A-Za-z_]+%|your[_-][a-z_-]*|example[a-z_.-]*|changeme|redacted|true|false|null|undefined|none|string|process\.env\..*|os\.environ.*|os\.getenv.*)$/i;

/** True for a value that a person or a program puts where a secret will be: `<token>`, `${TOKEN}`, `your-key`. */
export const isPlaceholderValue = (value: string): boolean =>
  PLACEHOLDER_VALUE.test(value.replace(/[)\]}:,]+$/, '')) ||
  PLACEHOLDER_VALUE.test(value) ||
  /x{8}|X{8}|\*{4}/.test(value) ||
  isPattern(value) ||
  isTemplate(value);

/** The attributes of RFC 6265, and a word for a name that is not of a session: `theme=dark`. */
const HARMLESS_COOKIE =
  /^(?:path|domain|expires|max-age|samesite)=|^(?:httponly|secure|partitioned)?$|^(?!.{0,80}(?:sess|sid|auth|tok|jwt|key|csrf|login|user|id=))[\w.-]{1,80}=[a-z]{0,12}$/i;

/** True if one of several cookies may be a login. */
export const holdsSession = (cookies: string): boolean =>
  cookies
    .split(/;\s{0,8}/)
    .some((cookie) => !HARMLESS_COOKIE.test(cookie) && !isPlaceholderValue(cookie.slice(cookie.indexOf('=') + 1)));

/**
 * Words that follow "password is" or "password:" and say something about the password instead of being one. A single
 * lower-case word after such a name is a secret unless it is one of these; anything with digits or symbols needs no
 * list.
 */
const ORDINARY = new Set(
  `about above account accepted actual administrator after again against allowed already also always another anything
  argument array asterisks attribute auth authentication available bad base bcrypt because been before below better
  between blank boolean both bytes callback cannot case changed char characters clear cleartext client code column
  command compromised config configuration confidential confirm confirmation connection constant content correct
  correctly credential credentials current currently data database date default defined deprecated dict different
  directly disabled does done eight element email empty encoded encrypted encryption entirely entry enum env
  environment error essential even event every exactly exactly-once exposed expression external extremely failed fails
  failure false field fields file filled fine first fixed float form format from function generated getpass given global
  good handled hard hardcoded has hash header here hers hidden his identical immediately immutable important impossible in incorrect
  independent input inside instance insufficient integer invalid invisible it its itself just keep kept key keyring known
  last leaked left length less letters line list literal local locked long longer lost mandatory manager masked match
  matches maybe mine minimum mismatch missing more most much must name necessary needed never new newline node none not
  nothing null number numbers object obsolete obvious often okay only onto optional option options order other our ours
  outdated over own param parameter parameters parsed password passwords passed passphrase path pending permanent phrase plain plaintext please
  possible predictable present private probably process prompt prompts property protected provided public query random rather
  raw read really redacted refused rejected release request required reset response result retrieved reused right root
  row safe same salt sample saved schema scope screen secret secrets secure see self sensitive sent separate server
  service session set setting settings several shared short should shown similar simple simply single size some
  something somewhere sort source space specified standard stdin still stolen storage stored string stripped strong
  such sufficient super supported suitable table temporary test text than that the their them then there these they
  thing this though through time token tokens too true truncated type unavailable unchanged undefined under unencrypted
  unhashed unique unknown unless unnecessary unprotected unsafe unset until unused updated upon url user username users
  using usually valid value values vanilla variable vault very via visible void vulnerable was weak what when whatever
  where whether which while whole will with within without wrong yes yet you your yours
  erforderlich falsch faux gespeichert incorrecte korrekt leer nicht notwendig requis richtig ungültig vergessen
  abgelaufen incorrecta obligatoire obligatorio vide`.split(/\s+/),
);

/** Endings of verbs and adjectives that describe something. */
const DESCRIBES = /(?:ed|ing|ly|able|ible|less|ful|ous|ive|ment|tion|ness)$/;

/** True for one lower-case word that is likely to describe a password, or to name where it is. */
export const isOrdinaryWord = (word: string): boolean => {
  const lower = word.toLowerCase();
  return ORDINARY.has(lower) || DESCRIBES.test(lower);
};

/**
 * Recognises values after a secret-like name that are no secrets: expressions, patterns, templates and words of source
 * code and prose. Pure; every pattern is bounded by the text it is given.
 */

const TEMPLATE_FIELD = /\$\{[^}]{0,200}(?:\}|$)|\{\{?[A-Za-z_ .]{0,60}\}\}?|%[sdvqw]/g;
const REGULAR_EXPRESSION =
  /^[!(]*\/.*[^\\]\/[dgimsuvy]{0,4}[).]*$|\\[wdsbWDSB](?![A-Za-z0-9])|\[[A-Za-z]-[A-Za-z]|\(\?[:=!<]/;
const PATH_OF_NAMES = /^[A-Za-z_$][\w$]*(?:(?:\?|!)?\.[A-Za-z_$#][\w$]*)*$/;
const CALL_OR_LITERAL = /^[!(&*[]*([A-Za-z_$][\w$]*(?:(?:\?|!)?\.[A-Za-z_$#][\w$]*)*)(?:\?\.)?[({]/;

/** Removes the parts that a template fills in later: `${name}`, `{name}`, `%s`. */
const withoutTemplateFields = (text: string): string => text.replace(TEMPLATE_FIELD, '');

const isName = (text: string): boolean =>
  countDigits(text) <= 2 && (text.length <= 3 || looksLikeWords(text.replace(/[^A-Za-z]/g, '')));

/** True for a regular expression, whole or in part. */
export const isPattern = (text: string): boolean => REGULAR_EXPRESSION.test(text);

/** True for a template whose fixed parts are only words and punctuation: `Bearer ${token}`, `{type} of {name}`. */
export function isTemplate(text: string): boolean {
  const fixed = withoutTemplateFields(text);
  return fixed !== text && (!/[A-Za-z0-9]/.test(fixed) || isWords(fixed));
}

/** True for words without digits, as people or programmers write them: a sentence, an option name, a heading. */
export const isWords = (text: string): boolean =>
  /^[A-Za-z_ .,:;()[\]'"!?@\x60<>/|-]+$/.test(text) && looksLikeWords(text.replace(/[^A-Za-z]/g, ''));

/** True for an identifier with at most two digits: `session-17`, `/v1/oauth/token`, `__Host-site-visit`. */
export const isIdentifier = (text: string): boolean =>
  /^[\w./:@-]+$/.test(text) &&
  countDigits(text) <= 2 &&
  isMostlyWords(text) &&
  looksLikeWords(text.replace(/[^A-Za-z]/g, ''));

/**
 * True for an expression of a programming language: a call or a literal of a named type, a path of names, closing
 * brackets.
 */
export function isExpression(text: string): boolean {
  if (/^[)\]}]/.test(text)) return true;
  const called = CALL_OR_LITERAL.exec(text)?.[1];
  if (called !== undefined) return isName(called);
  const path = text.replace(/^[!(&*]+|[)\]};:,]+$/g, '');
  return path.includes('.') && PATH_OF_NAMES.test(path) && isName(path);
}
