import { countDigits, looksRandom } from './entropy.js';
import { isExpression, isOrdinaryWord, isPlaceholderValue } from './placeholder-values.js';
import { looksChosen } from './prose-rules.js';
import { place, type SecretRule } from './secret-rule.js';

/** Passwords at the places that the formats of configuration files give them. */

const PASSWORD_NAME = /pass(?!age|ed|es|ing|ive|port)|pwd|passwd|passphrase/i;
const isText = (value: string): boolean =>
  !isPlaceholderValue(value) && !isOrdinaryWord(value) && !isExpression(value) && !/pass|pwd|secret|token/i.test(value);

/** A password may be any text; the value of another secret looks random or at least has digits. */
const isValueOf = (value: string, name: string): boolean =>
  PASSWORD_NAME.test(name)
    ? isText(value) && value.length >= 6
    : !isPlaceholderValue(value) && (looksRandom(value) || (countDigits(value) > 3 && value.length > 11));

const SECRET_NAME = String.raw`[\w.-]{0,40}(?:password|passwd|passphrase|pwd|(?<![a-z])pass|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)[\w.-]{0,30}`;
const PASSWORD_LABEL = '(?:password|passwd|passphrase|pwd|(?<![a-z])pass)';

/** The ends of lines that announce what the next line holds. */
const NEXT_LINE_KEYWORDS = 'password|passphrase|token|secret|key|keys|login|installation|below|following|value|is|use'
  .split('|')
  .map((word) => `${word}:\n|${word}: \n`)
  .join('|');

export const CONFIGURATION_RULES: readonly SecretRule[] = [
  place(
    'netrc',
    'machine|default login',
    0,
    400,
    /(?<![\w-])(?:machine\s{1,8}\S{1,253}|default)\s{1,40}login\s{1,8}\S{1,253}\s{1,40}(?:account\s{1,8}\S{1,253}\s{1,40})?password\s{1,8}(\S{1,256})/dg,
  ),
  place('netrc', 'machine', 0, 400, /(?<![\w-])machine\s{1,8}\S{1,253}\s{1,40}password\s{1,8}(\S{1,256})/dg),
  place(
    'pgpass',
    ':5432:|:5433:|:6432:|:*:',
    80,
    160,
    /(?<![^\s"'`])[\w.*[\]-]{1,253}:(?:[0-9]{4,5}|\*):[\w*.-]{1,64}:[\w*.-]{1,64}:([^\s"'`]{4,256})/dg,
  ),
  place(
    'connection-string',
    'password|pwd',
    80,
    160,
    /(?:^|[;"'\s])(?:password|pwd)\s{0,2}=\s{0,2}(?:'([^'\n]{3,256})'|"([^"\n]{3,256})"|\{([^}\n]{3,256})\}|([^\s;"'<>]{3,256}))(?=\s{0,2};)/dgi,
    (value, match) =>
      !isPlaceholderValue(value) &&
      (match.startsWith(';') || isText(value)) &&
      !/[()]|^\$|^[a-z]+\.[a-z.]+$/.test(value),
  ),
  place(
    'connection-string',
    'jdbc:oracle:',
    80,
    160,
    /jdbc:oracle:[a-z0-9]{3,8}:[\w$#"]{1,64}\/"?([^\s@"]{3,128})"?@/dg,
  ),
  place('connection-string', '@tcp(|@unix(|@udp(', 340, 4, /[\w.-]{1,64}:([^\s@'"/]{3,256})@(?:tcp|unix|udp)\(/dg),
  place(
    'sql-password',
    'identified |with password|encrypted password|set password',
    80,
    160,
    /\b(?:identified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3}(?:by|as)|by)(?:\s{1,3}password)?|(?:with|encrypted|set)\s{1,3}password(?:\s{1,3}for\s{1,3}\S{1,80})?(?:\s{0,3}=)?)\s{1,3}['"]([^'"\n]{4,256})['"]/dgi,
  ),
  place(
    'sql-password',
    'requirepass|masterauth',
    80,
    160,
    /\b(?:requirepass|masterauth)\s{1,3}["']?([^\s"'#]{4,256})/dg,
  ),
  {
    id: 'block-value',
    keywords: [': |', ': >'],
    window: { before: 140, after: 80 },
    pattern: new RegExp(
      String.raw`(?<=^|[\s"'{,])[ \t-]{0,40}["']?${SECRET_NAME}["']?:[ \t]{1,4}[|>][+-]?[0-9]?[ \t]{0,4}\n[ \t]{1,60}([^\s].{2,2046}[^\s])`,
      'dgi',
    ),
    accepts: (value, match) => isValueOf(value, match.slice(0, match.indexOf(':'))),
  },
  place(
    'element-value',
    'password>|passwd>|passphrase>|pwd>|pass>',
    400,
    10,
    new RegExp(
      String.raw`<[\w:.-]{0,30}${PASSWORD_LABEL}(?:\s[^<>\n]{0,100})?>\s{0,20}([^<>\s][^<>\n]{3,254}[^<>\s])\s{0,20}</[\w:.-]{0,30}${PASSWORD_LABEL}>`,
      'dgi',
    ),
    (value) => isText(value) && !/\s/.test(value),
  ),
  // `{"name": "DB_PASSWORD", "value": "…"}`, `<add key="…" value="…"/>`, `- name: …` with its value on the next line.
  place(
    'name-and-value',
    'value:|value=|value":|value\':|value =|val:|val=|val":|val\':|content=|content":',
    240,
    10,
    new RegExp(
      String.raw`(?<![\w-])["']?(?:name|key|id|property|variable)["']?\s{0,3}[:=]\s{0,3}["']?${SECRET_NAME}["']?[\s,]{1,40}["']?(?:value|val|content)["']?\s{0,3}[:=]\s{0,3}(?:"([^"\n]{4,2048})"|'([^'\n]{4,2048})'|([^\s"'<>{}$]{4,2048}))`,
      'dgi',
    ),
    (value, match) => isValueOf(value, match.slice(0, match.length - value.length)),
  ),
  place(
    'set-by-name',
    'define(|setproperty(|putenv(|setenv(|.set(|.put(|variable(',
    80,
    160,
    new RegExp(
      String.raw`\b(?:define|setProperty|putenv|setenv|SetEnvironmentVariable|set|put)\(\s{0,3}['"]${SECRET_NAME}['"]\s{0,3},\s{0,3}['"]([^'"\n]{4,2048})['"]`,
      'dgi',
    ),
    (value, match) => isValueOf(value, match.slice(0, match.length - value.length)),
  ),
  // A word in quotes after the name of a password, in data and in code.
  place(
    'quoted-password',
    'password|passwd|passphrase|pwd|_pass',
    80,
    160,
    /(?<![A-Za-z])[a-z_.-]{0,40}(?:password|passwd|passphrase|pwd|_pass)\\{0,3}["'\x60]?\]?(?:[ \t]{0,20}(?:!==?|===?|=>|:=|[:=]|<<<)[ \t]{0,5}|[ \t]{1,3})\\{0,3}["'\x60]([A-Za-z][a-z-]{5,40})\\{0,3}["'\x60]/dgi,
    isText,
  ),
  // A line that gives a password and nothing else: `admin_password = word`, `ENV ROOT_PASSWORD word`.
  place(
    'password-line',
    'password|passwd|passphrase|pwd|pass=|pass:|pass =|_pass |bindpw|rootpw|authtok',
    90,
    80,
    /(?<=^|\n|\\n|["':][ \t]?(?=(?:ENV|ARG|export|setx?)[ \t]))[ \t-]{0,20}(?:(?:export|setx?(?:[ \t]-\w{1,3})?|setenv|SetEnv|fastcgi_param|ENV|ARG)[ \t]{1,3})?[\w.-]{0,60}(?:password|passwd|passphrase|pwd|(?<![a-z])pass|bindpw|rootpw|authtok)[ \t]{0,20}(?:[:=][ \t]{0,5}|[ \t]{1,3})([^\s"'`;,\\]{6,80})(?=[ \t]{0,20}(?:\n|$|["';\\]))/dgi,
    (value, match) =>
      isText(value) &&
      (/^[a-z]{6,40}$/.test(value) ||
        looksChosen(value) ||
        (/^\s{0,20}(?:ENV|ARG|export|setx?)\s/i.test(match) && looksChosen(`${value}1`))),
  ),
  place(
    'set-by-name',
    'password(|passphrase(|pwd(',
    80,
    160,
    /(?:set|with)[A-Za-z]{0,30}(?:Password|Passphrase|Pwd)\(\s{0,8}["']([^"'\n]{5,256})["']\s{0,8}\)/dg,
    isText,
  ),
  // A login and its password as the arguments of a call.
  place(
    'login-call',
    'networkcredential|directoryentry|basicauth|basic_auth|login(|passwordcredential|auth=(|auth_basic',
    80,
    160,
    /(?:NetworkCredential|DirectoryEntry|HTTPBasicAuth|[sS]etBasicAuth|basicAuth|basic_auth|(?<![A-Za-z])login|Username ?PasswordCredentials?|auth=)\(\s{0,8}(?:["']LDAP:[^"'\n]{1,200}["']\s{0,3},\s{0,40})?["'][^"'\n]{1,100}["']\s{0,3},\s{0,40}["']([^"'\n]{5,256})["']/dg,
    (value) => isText(value) && !/\s/.test(value),
  ),
  // A host or an address before them.
  place(
    'login-call',
    'connect(|connection(|pdo(|login(|authenticate(',
    80,
    160,
    /(?:[cC]onnect(?:ion)?|PDO|[lL]ogin|[aA]uthenticate)\(\s{0,8}(?:["'][^"'\n]{1,200}["']|[\w.$>-]{1,60})\s{0,3},\s{0,40}["'][^"'\n]{1,100}["']\s{0,3},\s{0,40}["']([^"'\n]{5,256})["']/dg,
    looksChosen,
  ),
  // `authIdent: "user:…"`
  place(
    'login-pair',
    'auth',
    80,
    160,
    /auth\w{0,20}["']?\s{0,3}[:=]\s{0,3}["']?[\w.@-]{1,64}:([^\s"',;]{6,256})/dgi,
    looksChosen,
  ),
  // The name of an account's password in one word: `keystorePass`, `MYPASS`.
  place(
    'named-pass',
    'pass=|pass:|pass =|pass"|pass\'',
    40,
    160,
    /[\w.-]{1,40}(?<!by|com|sur|tres|-)pass["']?\s{0,3}[:=]\s{0,3}(?:"([^"\n]{6,256})"|'([^'\n]{6,256})'|([^\s"'`,;<>&]{6,256}))/dgi,
    (value) => looksChosen(value) && countDigits(value) > 0,
  ),
  place(
    'named-value',
    'psk',
    80,
    160,
    /(?<![A-Za-z])(?:wpa_)?psk["']?\s{0,3}[:=]\s{0,3}["']?([^\s"']{8,64})/dgi,
    isText,
  ),
  // Who knows the address of a webhook may post to it.
  place(
    'webhook-address',
    'hook',
    300,
    200,
    /https?:\/\/[^\s/"'<>]{3,253}\/(?:[\w.-]{1,40}\/){0,5}(?:web)?hooks?(?:b2)?\/((?:[\w@.-]{1,100}\/){0,4}[\w@-]{8,100})/dg,
    (path) =>
      path
        .split(/[/@]/)
        .some((part) => looksRandom(part) || (part.length >= 20 && countDigits(part) > 1 && !/[-_.]/.test(part))),
  ),
  // "Use the following password:" and the value on the next line.
  place(
    'next-line-value',
    NEXT_LINE_KEYWORDS,
    120,
    40,
    /(?<![A-Za-z0-9_-])(?:password|passphrase|token|secret|key)s?(?![A-Za-z0-9_-])[^\n:]{0,80}:[ \t]{0,3}\n{1,3}[ \t>]{0,16}["'`]?([^\s"'`<>]{12,512})["'`]?(?=[ \t]{0,8}(?:\n|$))/dgi,
    (value) => !isPlaceholderValue(value) && looksRandom(value),
  ),
  place(
    'element-value',
    'secret>|token>|key>',
    700,
    10,
    /<[\w:.-]{0,30}(?:secret|token|api-?key)(?:\s[^<>\n]{0,100})?>\s{0,20}([^<>\s]{12,512})\s{0,20}<\/[\w:.-]{0,30}(?:secret|token|api-?key)>/dgi,
    (value) => !isPlaceholderValue(value) && countDigits(value) > 3,
  ),
  // The last lines of a private key whose first lines were cut.
  place(
    'private-key-cut',
    '-----end',
    8_000,
    60,
    /-----END[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----(?<=([A-Za-z0-9+/=][A-Za-z0-9+/=\n\\]{39,8000})-----END[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----)/dg,
    (body) => /[A-Za-z0-9+/=]{30}/.test(body),
  ),
  {
    id: 'private-key',
    keywords: ['private-lines:'],
    pattern: /Private-Lines:\s{1,3}[0-9]{1,3}([\s\\][A-Za-z0-9+/=\s\\]{16,20000})/dg,
  },
];
