import { holdsSession, isOrdinaryWord, isPlaceholderValue } from './placeholder-values.js';
import { looksChosen } from './prose-rules.js';
import type { SecretRule } from './secret-rule.js';

/** Passwords in the arguments of commands. An argument that is no password for most programs belongs to a program here. */

const isGiven = (value: string): boolean =>
  !isPlaceholderValue(value) &&
  !/^(?:\$|-|\/|\.{1,2}\/|(?:file|env|fd):|stdin$|[a-z]{3,8}:\/\/[^@]{0,300}$)|[({]/.test(value) &&
  !isOrdinaryWord(value);

/** The rest of a command up to the option, on one line and not beyond a pipe. */
const REST = String.raw`[^\n|;&]{0,200}?\s`;
const VALUE = String.raw`['"]?([^\s'"\x60|;&]{4,256})`;

/** `8080:80/tcp`, `shop_v2`. */
const IS_PORT_OR_VERSION = /^[\d.:-]{1,60}\/(?:tcp|udp|sctp)$|[a-z\d][_-]v\d{1,2}$/;
/** True if a word that belongs to no option stands between the first and the last: the name of a program. */
const runsProgram = (options: string): boolean =>
  /\s--\s|\s(?!-)\S{1,160}\s{1,3}(?!-)/.test(options.replace(/"[^"]{0,160}"|'[^']{0,160}'/g, 'x'));

/** Programs with their keywords, and the option, or the position, of their password. */
const OPTIONS: readonly (readonly [keywords: readonly string[], programs: string, option: string])[] = [
  [
    ['sshpass', 'docker login', 'podman login', 'registry login', 'az login', 'buildah login', 'skopeo login'],
    'sshpass|(?:docker|podman|registry|az|buildah|skopeo|helm registry)[ \\t]{1,3}login',
    String.raw`(?:-p|--password)[ =]{0,2}`,
  ],
  [['mysql', 'mariadb'], '(?:mysql|mariadb)[a-z-]{0,8}', '-p(?!rint|rune|erm)'],
  [['redis-cli'], 'redis-cli', String.raw`(?:-a|--pass)\s`],
  [['mongo'], 'mongo(?:sh|dump|restore|export|import)?', String.raw`(?:-p|--password)[ =]{0,2}`],
  [['sqlcmd', 'isql', 'bcp ', 'sqlplus'], 'sqlcmd|isql|bcp|sqlplus', '-P[ ]?'],
  [['ldap'], 'ldap(?:search|modify|add|delete|whoami|passwd)', '-w[ ]?'],
  [['zip '], 'unzip|zip', '-P[ ]?'],
  [['7z', 'rar '], '7za?|7zr|rar|unrar', '-(?:p|hp)'],
  [
    ['smbclient', 'rpcclient', 'net rpc', 'net ads'],
    'smbclient|rpcclient|net',
    String.raw`(?:-U|--user)[ =]?['"]?[\w.\\/-]{1,64}%`,
  ],
  [['htpasswd'], 'htpasswd', String.raw`-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\s(?:-\w{1,4}\s)?(?:\S{1,128}\s)?\S{1,64}\s`],
  [['vault login'], 'vault[ \\t]{1,3}login', '(?:-method=token )?(?:token=)?'],
  [['rabbitmqctl'], 'rabbitmqctl[ \\t]{1,3}(?:add_user|change_password)', String.raw`\S{1,64}\s`],
  [['net user'], 'net[ \\t]{1,3}user', String.raw`(?!/)\S{1,64}\s(?!/)`],
  [['keytool', 'jarsigner'], 'keytool|jarsigner', String.raw`-(?:store|key|src|dest)[a-z]{0,5}pass\s`],
  [
    ['aws configure'],
    'aws[ \\t]{1,3}configure[ \\t]{1,3}set',
    String.raw`\S{0,40}(?:secret_access_key|session_token)\s`,
  ],
  [['psexec'], '(?:[Pp][Ss]|PS)(?:[Ee]xec|EXEC)(?:64)?(?:[.](?:exe|EXE))?', String.raw`-p[ ]`],
  [['xfreerdp', 'rdesktop'], 'xfreerdp|rdesktop', String.raw`(?:/p:|-p[ ]?)`],
  [['lftp'], 'lftp', String.raw`-u\s[\w.@-]{1,64},`],
  [['poetry config'], 'poetry[ \\t]{1,3}config', String.raw`(?:http-basic|pypi-token)\.\S{1,60}\s(?:\S{1,64}\s)?`],
  [['openssl'], 'openssl', String.raw`-[kK]\s`],
  [['useradd', 'usermod'], 'useradd|usermod', String.raw`(?:-p|--password)[ =]`],
  // A user and a password in one word, before the name of a database.
  [
    ['sqlplus', 'sqlldr', 'expdp', 'impdp', 'rman '],
    'sqlplus|sqlldr|expdp|impdp|rman',
    String.raw`[\w$#]{1,64}/(?=\S{3,128}@|\S{3,128}(?:\s|$))`,
  ],
];

export const COMMAND_RULES: readonly SecretRule[] = [
  {
    id: 'command-login',
    keywords: ['curl', 'wget', 'http', '-auth'],
    window: { before: 4, after: 600 },
    pattern: /\s(?:-[uU]|--user|--proxy-user|--?auth)[ =]{0,3}['"]?[^\s:'"=]{1,64}:([^\s'"]{3,256})/dg,
    accepts: (value) => !isPlaceholderValue(value) && !/^[0-9]{1,5}$/.test(value),
  },
  {
    // Any program: the option of a password behind that of its user. Behind the user of `sudo` stands another program.
    id: 'command-login',
    keywords: [' -u', ' --user', ' --login'],
    window: { before: 60, after: 300 },
    pattern:
      /\s(?<!\b(?:sudo|doas|runuser)\s(?:-\S{1,20}\s)?)(?:-u[ =]?|--(?:user(?:name)?|login)[ =])['"]?(?!-|\S{1,60}\.(?:py|[cm]?[jt]s|rb|pl|sh|txt|ya?ml|json)\b)[\w.@\\-]{1,64}['"]?\s(?:[^\n|;&]{0,160}?\s)?-p(?!:|[a-z]{2,20}[=:])[ =]?['"]?([^\s'"`|;&]{6,256})/dg,
    accepts: (value, match) => looksChosen(value) && !IS_PORT_OR_VERSION.test(value) && !runsProgram(match),
  },
  {
    id: 'cookie-header',
    keywords: ['curl'],
    window: { before: 0, after: 600 },
    pattern: /\s(?:-b|--cookie)[ =]{0,2}['"]?([\w.-]{1,80}=[^\s'"]{6,2048})/dg,
    accepts: holdsSession,
  },
  {
    // A script answers the question for the password.
    id: 'piped-password',
    keywords: ['assword', 'assphrase'],
    pattern:
      /ass(?:word|phrase)[^\n]{0,20}["'}];?\s{1,40}(?:\{\s{0,8})?(?:exp_)?send(?:line)?\s{1,8}(?:--\s)?["']([^"'\n]{4,256}?)(?:\\[rn]|\n){0,2}["']/dg,
    accepts: isGiven,
  },
  {
    // Written to a file of passwords, or encoded as a login.
    id: 'piped-password',
    keywords: ['secret', 'passw', 'cred', 'base64'],
    window: { before: 300, after: 10 },
    pattern:
      /\b(?:echo|printf)\s{1,3}(?:-[en]{1,2}\s{1,3})?['"]?[\w.@-]{1,64}:([^\s'"|]{4,256})['"]?\s{0,3}(?:>{1,2}\s{0,3}[^\s|;&]{0,120}(?:secret|passw|cred)|\|\s{0,3}(?:openssl\s)?(?:enc\s-)?base64)/dg,
    accepts: isGiven,
  },
  ...OPTIONS.map(
    ([keywords, programs, option]): SecretRule => ({
      id: 'command-password',
      keywords,
      window: { before: 16, after: 300 },
      pattern: new RegExp(String.raw`(?<![\w.-])(?:${programs})\b${REST}${option}${VALUE}`, 'dg'),
      accepts: (value) => !isPlaceholderValue(value) && !/^-/.test(value),
    }),
  ),
  {
    id: 'password-option',
    keywords: ['pass', 'pwd'],
    window: { before: 44, after: 160 },
    pattern:
      /(?<![\w/-])(?:--?|\/)(?!-?(?:no|ask|disabled?|without|skip)-)[A-Za-z-]{0,40}(?:[pP]ass(?:word|wd|phrase)?|[pP]wd)(?:[=:]|\s{1,3})(?:"([^"\n]{4,256})"|'([^'\n]{4,256})'|([^\s'"`|;&<>[\](){}]{5,256}))/dg,
    accepts: (value) => isGiven(value) && !/^[A-Z_]+$|^[a-z]+(?:[._-][a-z]+)+$/.test(value),
  },
  {
    id: 'password-option',
    keywords: ['pass:', 'password:'],
    pattern: /(?<![\w-])-pass(?:in|out)?\s{1,3}['"]?pass:([^\s'"]{4,256})/dg,
    accepts: isGiven,
  },
  {
    id: 'password-option',
    keywords: ['-asplaintext'],
    window: { before: 300, after: 10 },
    pattern:
      /ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?["']?([^\s"']{4,256})["']?[^\n|;]{0,40}?\s-AsPlainText/dgi,
    accepts: isGiven,
  },
  {
    // The password goes through a pipe into the program that asks for it.
    id: 'piped-password',
    keywords: [
      '--password-stdin',
      'sudo -s',
      'chpasswd',
      'passwd --stdin',
      '--passphrase-fd',
      '--with-token',
      '--api-key-stdin',
    ],
    window: { before: 300, after: 10 },
    pattern:
      /\b(?:echo|printf)\s{1,3}(?:-[en]{1,2}\s{1,3})?(?:'%s(?:\\n)?'\s{1,3}|"%s(?:\\n)?"\s{1,3})?['"]?(?:[\w.-]{1,64}:)?([^\s'"|]{4,256})['"]?\s{0,3}\|[^\n|]{0,200}?(?:--password-stdin|sudo\s{1,3}-\w{0,3}S|chpasswd|passwd\s{1,3}--stdin|--passphrase-fd|--with-token|--api-key-stdin)/dg,
    accepts: (value) => !isPlaceholderValue(value) && !value.startsWith('$'),
  },
];
