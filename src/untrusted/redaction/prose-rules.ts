import { characterClassChanges, characterKinds, countDigits, entropy, isMostlyWords } from './entropy.js';
import { isExpression, isOrdinaryWord, isPattern, isPlaceholderValue, isTemplate } from './placeholder-values.js';
import { place, type SecretRule } from './secret-rule.js';

/**
 * Secrets in sentences and notes: "the password is …", "PIN: …", "use … as the token", in the languages of Europe that
 * share the word; words of other scripts arrive translated (`foldedView`).
 */

const PASSWORD_WORDS =
  'password|passwd|passphrase|passcode|passwort|kennwort|mot de passe|mdp|contrasena|wachtwoord|senha|haslo|losenord|adgangskode|salasana|parola|heslo|pwd|pw';
const PASSWORD = String.raw`(?<![A-Za-z0-9_$-])(?:${PASSWORD_WORDS}|contraseña|lösenord)(?![A-Za-z0-9_-])`;
/** In ASCII: of two words only a part. */
const KEYWORDS = `${PASSWORD_WORDS}|contrase|senord`;
/** "for the admin account", "of ann". */
const OWNER = String.raw`(?:[ \t]{1,3}(?:for|of|on|to|für|von|vom|pour|du|de|para)[ \t][^\n.:;="'\x60]{1,60}?)?`;
const IS = `(?:is|was|are|ist|war|lautet|est|es|é|è|e|to|to be|becomes|remains)`;
const SAYS = String.raw`(?:[ \t]{1,3}${IS}(?:[ \t]{1,3}(?:now|set to|still|simply|just|jetzt))?[ \t]{0,2}:?[ \t]{1,3}|[ \t]{0,2}(?:[:=|]|->|→)[ \t]{0,3})`;
const VALUE = String.raw`([^\s"'\x60<>,;]{3,255}[^\s"'\x60<>,;.!?:)\]}…])`;
/** Where a clause ends, so that the word before it is the whole value. */
const CLAUSE_ENDS = String.raw`(?=[.!]?(?:[ \t]{0,8}(?:\n|$)|[ \t]{0,3}[,;!)|}<\\\]\x60'"]|[ \t]{1,3}(?:and|but|for|und|für|et|pour)[ \t]))`;

/** True if no word or name of code looks like it: digits or symbols among letters, or letters of mixed case. */
export function looksChosen(value: string): boolean {
  if (isPlaceholderValue(value) || isPattern(value) || isTemplate(value) || isExpression(value)) return false;
  if (
    /^[\w./\\-]*[/\\][\w./\\-]*$|^[\w.]+\(|^--|^[\d.,:%/-]+$|^[$@{[(<]|^https?:|^\/|[)\]]\.|^[A-Z][A-Z_]+[0-9]?$/.test(
      value,
    )
  )
    return false;
  if (/^v?\d+\.\d|^(?:utf|sha|md|rfc|base|oauth|argon|pbkdf|bcrypt|aes|hs|rs)-?\d/i.test(value)) return false;
  if (value.length < 6 || entropy(value) < 2.2) return false;
  if (countDigits(value) > 0) return characterKinds(value) >= 2;
  return (
    /[a-z][!#$%&*+=?@^|~][A-Za-z]|[a-z][!#$%&*?@^~]{1,3}$/.test(value) ||
    (characterClassChanges(value) >= 3 && !isMostlyWords(value))
  );
}

const isWord = (value: string): boolean => /^[a-zäöüß]{6,40}$/.test(value) && !isOrdinaryWord(value);
const isQuotedPassword = (value: string): boolean =>
  looksChosen(value) ||
  (/^[A-Za-z]{6,40}$/.test(value) && !isOrdinaryWord(value) && !/password|secret|token/i.test(value));

/** Longer than the word, because `ping` and `standard` contain it. */
const CODE_KEYWORDS = [
  ...['pin', 'tan'].flatMap((word) =>
    [':', ' :', '=', ' =', ' is', ' was', ' ist', ' laut', ' es', ' code', '-code'].map((after) => word + after),
  ),
  ...['otp', 'passcode', '2fa', 'mfa', 'pin number', 'pin-nummer'],
  ...['verification', 'security', 'confirmation', 'one-time', 'login', 'unlock', 'sms', 'authentication'].flatMap(
    (kind) => [`${kind} code`, `${kind}-code`],
  ),
];

export const PROSE_RULES: readonly SecretRule[] = [
  place(
    'spoken-password',
    KEYWORDS,
    80,
    160,
    new RegExp(`${PASSWORD}${OWNER}${SAYS}[(«“]?${VALUE}`, 'dgi'),
    looksChosen,
  ),
  place(
    'spoken-password',
    `${KEYWORDS}|pass:|pass :|pass=|pass =|pass is`,
    80,
    160,
    new RegExp(
      String.raw`(?:${PASSWORD}[ \t]{1,3}|(?<![A-Za-z0-9_$-])pass(?:[ \t]{0,2}[:=]|[ \t]{1,3}is)[ \t]{0,3})[(«“]?${VALUE}`,
      'dgi',
    ),
    (value) => looksChosen(value) && countDigits(value) > 0,
  ),
  // After a verb or a colon and to the end of the clause, a word alone may be the password.
  place(
    'spoken-password',
    KEYWORDS,
    80,
    160,
    new RegExp(
      String.raw`${PASSWORD}${OWNER}(?:[ \t]{1,3}${IS}[ \t]{0,2}:?[ \t]{1,3}|[ \t]?[:|][ \t]{1,3})([a-zäöüß]{6,40})${CLAUSE_ENDS}`,
      'dgi',
    ),
    isWord,
  ),
  place(
    'spoken-password',
    KEYWORDS,
    80,
    160,
    new RegExp(
      String.raw`${PASSWORD}${OWNER}(?:[ \t]{1,3}(?:${IS}[ \t]{1,3})?|[ \t]?:[ \t]{0,3})["'\x60«“]([^\s"'\x60<>«»“”]{6,255})["'\x60»”]`,
      'dgi',
    ),
    isQuotedPassword,
  ),
  // "correct horse battery staple": several words, of which one at most would describe a password.
  place(
    'spoken-password',
    KEYWORDS,
    80,
    160,
    new RegExp(
      String.raw`${PASSWORD}${OWNER}(?:[ \t]{1,3}${IS}[ \t]{0,2}:?[ \t]{1,3}|[ \t]?[:=|][ \t]{0,3})((?:[a-z]{3,12} ){3,7}[a-z]{3,12})${CLAUSE_ENDS}`,
      'dgi',
    ),
    (value) => value.split(' ').filter(isOrdinaryWord).length < 2,
  ),
  {
    // "Tr0ub4dor as the password": the name comes after the value.
    id: 'spoken-password',
    keywords: ' password| passphrase| passcode| token| secret| api key'.split('|'),
    window: { before: 140, after: 4 },
    requires: /[ \t](?:as|is|was|for|with)[ \t]{1,3}(?:the|my|your|our|its|a|this|that)[ \t]/,
    pattern:
      /(?<=^|[\s"'`(«“])([^\s"'`<>,;()«»“”]{6,80})["'`»”]?[ \t]{1,3}(?:as|is|was|for|with)[ \t]{1,3}(?:the|my|your|our|its|a|this|that)[ \t]{1,3}(?:[a-z]{2,12}[ \t]{1,3})?(?:password|passphrase|passcode|token|secret|api key)\b/dgi,
    accepts: (value) => looksChosen(value) && countDigits(value) > 0 && characterKinds(value) >= 3,
  },
  place(
    'spoken-login',
    'credentials|login|logins|user/pass|username/password',
    80,
    160,
    /(?<![A-Za-z0-9_])(?:credentials?|logins?|user(?:name)?\/pass(?:word)?)[ \t]{0,2}(?:are|is|:|=|as)[ \t]{1,3}["'`]?[\w.@-]{1,64}[ \t]?[/:|][ \t]?([^\s"'`,;<>]{6,255})/dgi,
    looksChosen,
  ),
  {
    id: 'spoken-code',
    keywords: CODE_KEYWORDS,
    pattern:
      /(?<![A-Za-z0-9_./-])(?:(?:pin|otp|tan|passcode|2fa|mfa|(?:verification|security|confirmation|one-time|login|unlock|sms|authentication)[ -]code)(?:[ -](?:code|number|nummer))?)(?:[ \t]{1,3}(?:is|was|ist|lautet|est|es)[ \t]{0,2}:?[ \t]{1,3}|[ \t]{0,2}[:=][ \t]{0,3})["'`(]?([0-9]{4,10}|[0-9]{3}[ -][0-9]{3})(?![0-9A-Za-z.,]?[0-9A-Za-z])/dgi,
  },
  place(
    'recovery-phrase',
    'seed phrase|seed words|mnemonic|recovery phrase',
    80,
    160,
    /(?:seed phrase|seed words|mnemonic|recovery phrase)["'`]?[^\n"'`:=]{0,20}[:=]?[ \t]{0,3}["'`]?([a-z][a-z ]{40,250}[a-z])/dgi,
    (words) =>
      [12, 15, 18, 21, 24].includes(words.split(' ').length) &&
      words.split(' ').every((word) => word.length >= 3 && word.length <= 8),
  ),
];
