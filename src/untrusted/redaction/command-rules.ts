import { characterKinds, countDigits, looksRandom } from './entropy.js';
import { holdsSession, isExpression, isOrdinaryWord, isPlaceholderValue } from './placeholder-values.js';
import { looksChosen } from './prose-rules.js';
import { place, type SecretRule } from './secret-rule.js';

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
const OPTIONS: readonly (readonly [keywords: string, programs: string, option: string])[] = [
  [
    'sshpass|docker login|podman login|registry login|az login|buildah login|skopeo login',
    'sshpass|(?:docker|podman|registry|az|buildah|skopeo|helm registry)[ \\t]{1,3}login',
    '(?:-p|--password)[ =]{0,2}',
  ],
  ['mysql|mariadb', '(?:mysql|mariadb)[a-z-]{0,8}', '-p(?!rint|rune|erm)'],
  ['redis-cli', 'redis-cli', String.raw`(?:-a|--pass)\s`],
  ['mongo', 'mongo(?:sh|dump|restore|export|import)?', '(?:-p|--password)[ =]{0,2}'],
  ['sqlcmd|isql|bcp |sqlplus', 'sqlcmd|isql|bcp|sqlplus', '-P[ ]?'],
  ['ldap', 'ldap(?:search|modify|add|delete|whoami|passwd)', '-w[ ]?'],
  ['zip ', 'unzip|zip', '-P[ ]?'],
  ['7z|rar ', '7za?|7zr|rar|unrar', '-(?:p|hp)'],
  [
    'smbclient|rpcclient|net rpc|net ads',
    'smbclient|rpcclient|net',
    String.raw`(?:-U|--user)[ =]?['"]?[\w.\\/-]{1,64}%`,
  ],
  ['htpasswd', 'htpasswd', String.raw`-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\s(?:-\w{1,4}\s)?(?:\S{1,128}\s)?\S{1,64}\s`],
  ['vault login', 'vault[ \\t]{1,3}login', '(?:-method=token )?(?:token=)?'],
  ['rabbitmqctl', 'rabbitmqctl[ \\t]{1,3}(?:add_user|change_password)', String.raw`\S{1,64}\s`],
  ['net user', 'net[ \\t]{1,3}user', String.raw`(?!/)\S{1,64}\s(?!/)`],
  ['keytool|jarsigner', 'keytool|jarsigner', String.raw`-(?:store|key|src|dest)[a-z]{0,5}pass\s`],
  ['aws configure', 'aws[ \\t]{1,3}configure[ \\t]{1,3}set', String.raw`\S{0,40}(?:secret_access_key|session_token)\s`],
  ['psexec', '(?:[Pp][Ss]|PS)(?:[Ee]xec|EXEC)(?:64)?(?:[.](?:exe|EXE))?', '-p[ ]'],
  ['xfreerdp|rdesktop', 'xfreerdp|rdesktop', '(?:/p:|-p[ ]?)'],
  ['lftp', 'lftp', String.raw`-u\s[\w.@-]{1,64},`],
  ['poetry config', 'poetry[ \\t]{1,3}config', String.raw`(?:http-basic|pypi-token)\.\S{1,60}\s(?:\S{1,64}\s)?`],
  ['openssl', 'openssl', String.raw`-[kK]\s`],
  ['useradd|usermod', 'useradd|usermod', '(?:-p|--password)[ =]'],
  // A user and a password in one word, before the name of a database.
  [
    'sqlplus|sqlldr|expdp|impdp|rman ',
    'sqlplus|sqlldr|expdp|impdp|rman',
    String.raw`[\w$#]{1,64}/(?=\S{3,128}@|\S{3,128}(?:\s|$))`,
  ],
];

export const COMMAND_RULES: readonly SecretRule[] = [
  place(
    'command-login',
    'curl|wget|http|-auth',
    4,
    600,
    /\s(?:-[uU]|--user|--proxy-user|--?auth)[ =]{0,3}['"]?[^\s:'"=]{1,64}:([^\s'"]{3,256})/dg,
    (value) => !isPlaceholderValue(value) && !/^[0-9]{1,5}$/.test(value),
  ),
  // Any program: the option of a password behind that of its user. Behind the user of `sudo` stands another program.
  place(
    'command-login',
    ' -u| --user| --login',
    60,
    300,
    /\s(?<!\b(?:sudo|doas|runuser)\s(?:-\S{1,20}\s)?)(?:-u[ =]?|--(?:user(?:name)?|login)[ =])['"]?(?!-|\S{1,60}\.(?:py|[cm]?[jt]s|rb|pl|sh|txt|ya?ml|json)\b)[\w.@\\-]{1,64}['"]?\s(?:[^\n|;&]{0,160}?\s)?-p(?!:|[a-z]{2,20}[=:])[ =]?['"]?([^\s'"`|;&]{6,256})/dg,
    (value, match) => looksChosen(value) && !IS_PORT_OR_VERSION.test(value) && !runsProgram(match),
  ),
  place(
    'cookie-header',
    'curl',
    0,
    600,
    /\s(?:-b|--cookie)[ =]{0,2}['"]?([\w.-]{1,80}=[^\s'"]{6,2048})/dg,
    holdsSession,
  ),
  // A script answers the question for the password.
  place(
    'piped-password',
    'assword|assphrase',
    80,
    160,
    /ass(?:word|phrase)[^\n]{0,20}["'}];?\s{1,40}(?:\{\s{0,8})?(?:exp_)?send(?:line)?\s{1,8}(?:--\s)?["']([^"'\n]{4,256}?)(?:\\[rn]|\n){0,2}["']/dg,
    isGiven,
  ),
  // Written to a file of passwords, or encoded as a login.
  place(
    'piped-password',
    'secret|passw|cred|base64',
    300,
    10,
    /\b(?:echo|printf)\s{1,3}(?:-[en]{1,2}\s{1,3})?['"]?[\w.@-]{1,64}:([^\s'"|]{4,256})['"]?\s{0,3}(?:>{1,2}\s{0,3}[^\s|;&]{0,120}(?:secret|passw|cred)|\|\s{0,3}(?:openssl\s)?(?:enc\s-)?base64)/dg,
    isGiven,
  ),
  ...OPTIONS.map(([keywords, programs, option]) =>
    place(
      'command-password',
      keywords,
      16,
      300,
      new RegExp(String.raw`(?<![\w.-])(?:${programs})\b${REST}${option}${VALUE}`, 'dg'),
      (value) => !isPlaceholderValue(value) && !/^-/.test(value),
    ),
  ),
  place(
    'password-option',
    'pass|pwd',
    44,
    160,
    /(?<![\w/-])(?:--?|\/)(?!-?(?:no|ask|disabled?|without|skip)-)[A-Za-z-]{0,40}(?:[pP]ass(?:word|wd|phrase)?|[pP]wd)(?:[=:]|\s{1,3})(?:"([^"\n]{4,256})"|'([^'\n]{4,256})'|([^\s'"`|;&<>[\](){}]{5,256}))/dg,
    (value) => isGiven(value) && !/^[A-Z_]+$|^[a-z]+(?:[._-][a-z]+)+$/.test(value),
  ),
  place(
    'password-option',
    'pass:|password:',
    80,
    160,
    /(?<![\w-])-pass(?:in|out)?\s{1,3}['"]?pass:([^\s'"]{4,256})/dg,
    isGiven,
  ),
  place(
    'password-option',
    '-asplaintext',
    300,
    10,
    /ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?["']?([^\s"']{4,256})["']?[^\n|;]{0,40}?\s-AsPlainText/dgi,
    isGiven,
  ),
  // The password goes through a pipe into the program that asks for it.
  place(
    'piped-password',
    '--password-stdin|sudo -s|chpasswd|passwd --stdin|--passphrase-fd|--with-token|--api-key-stdin',
    300,
    10,
    /\b(?:echo|printf)\s{1,3}(?:-[en]{1,2}\s{1,3})?(?:'%s(?:\\n)?'\s{1,3}|"%s(?:\\n)?"\s{1,3})?['"]?(?:[\w.-]{1,64}:)?([^\s'"|]{4,256})['"]?\s{0,3}\|[^\n|]{0,200}?(?:--password-stdin|sudo\s{1,3}-\w{0,3}S|chpasswd|passwd\s{1,3}--stdin|--passphrase-fd|--with-token|--api-key-stdin)/dg,
    (value) => !isPlaceholderValue(value) && !value.startsWith('$'),
  ),
];

/**
 * Passwords that only the place of a word gives away, by kinds of places: behind the option of any program, in a login,
 * among the arguments of a call, in a table of users, and in what sets or creates a secret.
 */

/** Without digits, a name of code looks like it. */
const isChosen = (value: string): boolean => looksChosen(value) && countDigits(value) > 0;
/** Where nothing but a secret can stand. */
const isUnlikeWords = (value: string): boolean =>
  !isPlaceholderValue(value) && !isOrdinaryWord(value) && !isExpression(value) && !/^[-$@/.%]|[({]/.test(value);
const isStrong = (value: string): boolean =>
  isChosen(value) && countDigits(value) > 1 && characterKinds(value) > 3 && !/[/\\.:=@,<>]/.test(value);

export const LOGIN_RULES: readonly SecretRule[] = [
  // Any program: nothing else behind its `-p` mixes digits, symbols and letters of both cases.
  place(
    'command-password',
    ' -p | -p| -pw | /p | /rp | -w ',
    0,
    60,
    /\s(?:-pw?|-P|-w|\/r?p)[ ]["']?([^\s"'\x60|;&<>]{5,256})(?=["']?(?:\s|$))/dg,
    isStrong,
  ),
  place(
    'command-password',
    'plink|pscp|psftp|conan |twine |ipmitool|racadm|cypher-shell|beeline|veracrypt|keychain|security import|signtool|altool|mosquitto|knife |ssh-keygen|x11vnc|kadmin|addprinc|schtasks|check_|codecov|oathtool|snmp',
    4,
    300,
    /(?<=(?<![\w.-])(?:plink|pscp|psftp|conan|twine|ipmitool|racadm|cypher-shell|beeline|veracrypt|security|signtool|altool|mosquitto_\w{3,7}|knife|ssh-keygen|x11vnc|kadmin|addprinc|schtasks|check_\w{2,20}|codecov|oathtool|snmp\w{2,9})\b[^\n|;&]{0,200}\s(?:-pw?|-P|-N|-w|\/r?p|-passwd|--password|-(?<=snmp[^\n]{0,200})[cAX]|-(?<=codecov[^\n]{0,200})t|-(?<=oathtool[^\n]{0,200})b)[ =])["']?([^\s"'\x60|;&<>]{5,256})/dg,
    (value) => isUnlikeWords(value) && !/^[0-9:]{1,12}$|\//.test(value),
  ),
  // The argument of a program that does nothing else with it.
  place(
    'command-password',
    'radtest|add-user|obscure|set-initial-password|reset-admin-password|rootpw|nickserv|authtoken|mosquitto_passwd|net use|http-basic|add-mask::|cargo login|snyk auth|root-password password|community |rocommunity|rwcommunity|pass oauth:',
    60,
    200,
    /(?:radtest[ ]\S{1,64}|add-user\S{0,8}[ ]\S{1,64}|rclone[ ]obscure|(?:set-initial|reset-admin)-password|rootpw(?:[ ]--\w{4,12})?|[nN]ick[sS]erv[ ](?:IDENTIFY|identify)(?:[ ]\S{1,64}(?=[ ]))?|authtoken|mosquitto_passwd[ ]-b[ ]\S{1,160}[ ]\S{1,64}|net[ ]use[ ]\S{1,3}[ ]\\\\\S{1,200}|config[ ]http-basic\.\S{1,160}[ ]\S{1,64}|(?:cargo[ ]login|snyk[ ]auth)|password[ ]password|(?:snmp-server[ ]community|r[ow]community6?))[ ]["']?([^\s"'\x60|;&<>]{5,256})|::add-mask::([^\s"']{4,256})|PASS[ ]oauth:([^\s"']{8,256})/dg,
    isUnlikeWords,
  ),
  // A device: `username ann privilege 15 secret 0 …`.
  place(
    'command-password',
    'username |enable |insecure-password',
    4,
    200,
    /(?:\busername[ ]\S{1,64}(?:[ ]privilege[ ]\d{1,2})?|\benable|\buser[ ]\S{1,64})[ ](?:secret|(?:insecure-)?password)(?:[ ]\d)?[ ]["']?([^\s"'\x60|;&<>]{5,256})/dg,
    isUnlikeWords,
  ),
  // A command that sets or creates a secret, with its value.
  place(
    'set-secret',
    '--value|--body|--secret-string|--data |/d ',
    240,
    60,
    /(?:(?:secrets?|user-secrets|keyvault|parameter|put-parameter|credentials?|passwords?|variable)|[pP]assword)\b[^\n|;&]{0,200}\s(?:--(?:value|body|secret-string|data)|\/d)[ =]["']?([^\s"'\x60|;&<>]{5,256})/dg,
    isUnlikeWords,
  ),
  place(
    'set-secret',
    'user-secrets set|kv put|etcdctl put|env:set|config:set|secrets set|encrypt |--build-arg',
    4,
    200,
    /(?:user-secrets set|kv put|etcdctl put|env:set|config:set|secrets set|encrypt|--build-arg)[ ]["']?\S{0,80}(?:[pP]ass(?:word|wd)?|PASS(?:WORD|WD)?|pwd|PWD|[sS]ecret|SECRET|[tT]oken|TOKEN|[kK]ey|KEY)["']?[ =]["']?([^\s"'\x60|;&<>]{5,256})/dg,
    isUnlikeWords,
  ),
  // Through a pipe, or a here string, into what takes a secret.
  place(
    'piped-password',
    'secret|luks|kinit|cryptsetup',
    300,
    10,
    /\b(?:echo|printf)\s{1,3}(?:-[en]{1,2}\s{1,3})?['"]?([^\s'"|]{4,256})['"]?\s{0,3}\|[^\n|]{0,80}?(?:\bsecrets?\s(?:create|put|set|add|versions)|cryptsetup|luks|\bkinit)/dg,
    isUnlikeWords,
  ),
  place(
    'piped-password',
    '<<<',
    160,
    100,
    /(?:secret|pass|cred|login)[^\n|]{0,140}<<<[ ]?["']?([^\s"'\x60|;&<>]{5,256})/dgi,
    isUnlikeWords,
  ),
  // `stats auth user:…`, `login=user:…`, `register => user:…@host`, `[host]:587 user:…`.
  place(
    'login-pair',
    'auth|login|register|bundle|]:|:25 |--user|list:',
    80,
    160,
    /(?:(?:auth\w{0,20}|login|register|bundle[^\s:=]{0,80}|bundle config[^\n]{0,100}|--user)["']?\s{0,3}(?:=>|[:=]|(?=\s))\s{0,3}|(?:\]|\.\w{2,12}):(?:25|465|587|2525)[ \t]{1,8}|list:\s{1,3}\|?\s{1,12})["']?[\w.-]{1,64}[:/]([^\s"',;@]{6,256})/dgi,
    isChosen,
  ),
  // The scheme of a directory or of a mail server: `user:{PLAIN}…`.
  place(
    'login-pair',
    '{plain|{clear|{ssha|{sha|{crypt|{md5|{cram|{argon|{blf|{pbkdf',
    80,
    160,
    /\{(?:PLAIN|CLEARTEXT|CLEAR|S?SHA|CRYPT|S?MD5|CRAM-MD5|ARGON2|BLF-CRYPT|PBKDF2)[0-9A-Z.-]{0,12}\}([^\s:"'<>]{4,512})/dg,
  ),
  // A user, a server, a secret and any address, in columns to the end of the line.
  place(
    'login-pair',
    ' *',
    160,
    2,
    /(?<=^|\n)["']?[\w.@-]{1,64}["']?[ \t]{1,8}(?:\*|[\w.-]{1,64})[ \t]{1,8}["']?([^\s"']{5,128})["']?[ \t]{1,8}\*(?=[ \t]{0,8}(?:$|[\r\n"'#\\;,]|--))/dg,
    looksChosen,
  ),
  // The last text among the arguments of what logs in.
  place(
    'login-call',
    'auth|login(|credential|password|connect',
    30,
    400,
    /(?<=(?:[aA]uth\w{0,20}|[lL]ogin|[cC]redentials?|[pP]assword\w{0,20}|[cC]onnect\w{0,16})(?:::new)?\(\s{0,8}(?:(?:["'][^"'\n]{0,120}["'](?:\.\w{1,12}\(\))?|[\w.$&>-]{1,60})\s{0,3},\s{0,40}){1,3}(?:Some\()?)["']([^"'\n]{5,256})["']/dg,
    (value) => isChosen(value) && !/[@\s]|:\/\/|^[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}$/.test(value),
  ),
  place('login-call', '.tochararray()', 260, 4, /["']([^"'\n]{5,256})["']\.toCharArray\(\)/dg, isUnlikeWords),
  place(
    'set-by-name',
    'password(|passphrase(|pwd(',
    80,
    160,
    /(?:[sS]et|[wW]ith|\.)[A-Za-z]{0,30}(?:[pP]assword|[pP]assphrase|[pP]wd)\(\s{0,8}["']([^"'\n\s]{6,256})["']\s{0,8}\)/dg,
    (value) => isUnlikeWords(value) && !/pass|pwd/i.test(value),
  ),
  // A program fills in a form.
  place(
    'typed-password',
    'assword|passwd',
    60,
    160,
    /[pP]ass(?:word|wd)[^\n"']{0,12}["'][^\n"']{0,40}(?:,|(?:fill|type|[sS]end_?[kK]eys|setValue|set)\()\s{0,3}["']([^"'\n]{5,256})["']/dg,
    (value, match) => /fill|type|keys|set/i.test(match) && isUnlikeWords(value),
  ),
  place(
    'typed-password',
    'fill(|type(',
    4,
    200,
    /(?:fill|type)\([^\n]{0,60}[pP]assword["')\]]{0,4}\s{0,2},\s{0,3}["']([^"'\n]{5,256})["']/dg,
    isUnlikeWords,
  ),
  place(
    'typed-password',
    'type="password"|type=\'password\'|type=password',
    4,
    200,
    /type=["']?password["']?[^<>\n]{0,120}\svalue=["']([^"'\n]{4,256})["']/dgi,
    isUnlikeWords,
  ),
  // Rows of users: the column of the password gives the value away.
  place(
    'sql-password',
    'values',
    400,
    300,
    /(?=['"])(?<=insert into [^\n;]{0,80}(?:password|passwd|pwd|secret|token)[^\n;]{0,80}\)\s{0,4}values[^\n;]{0,160})['"]([^'"\n]{5,256})['"]/dgi,
    isChosen,
  ),
  place(
    'sql-password',
    'password = n|password=n|pragma ',
    80,
    160,
    /(?:password\s{0,3}=\s{0,3}N|pragma\s{1,3}(?:hex)?(?:re)?key\s{0,3}=\s{0,3})['"]([^'"\n]{4,256})['"]/dgi,
    isUnlikeWords,
  ),
  // The default of a variable or a parameter with the name of a secret.
  place(
    'name-and-value',
    'default|value',
    200,
    100,
    /[\w.-]{0,40}(?:password|passwd|secret|token|api_?key)["']?(?:\s{0,3}\{|:)[^{}\n]{0,4}\n?[^{}]{0,120}?\s(?:default(?:value)?|value)["']?\s{0,3}[:=]\s{0,3}["']?([^\s"'{}]{6,256})/dgi,
    isChosen,
  ),
  place(
    'element-value',
    '<value>|clear-text=|cleartext=',
    60,
    260,
    /(?:<\w{0,30}password>\s{0,20}<value>|password<\/name>\s{0,20}<value>|clear-?text=["'])([^<>"'\s]{5,256})/dgi,
    isUnlikeWords,
  ),
  place(
    'named-value',
    'sessid|sessionid|connect.sid|_session',
    80,
    160,
    /(?:sess(?:ion)?_?id|connect\.sid|_session)=([A-Za-z0-9%._-]{16,512})/dgi,
    (value) => countDigits(value) > 2,
  ),
  place(
    'named-value',
    'pw:|pw=|pw =|pw"|pw\'|pw ',
    80,
    160,
    /(?<![A-Za-z0-9])[a-z]{0,12}_?pw(?:["']?\s{0,3}[:=]\s{0,3}|[ \t]{1,3})["']?([^\s"'`,;<>&]{6,256})/dgi,
    looksChosen,
  ),
  // Who knows the address may call it: a random part behind a word that announces it.
  place(
    'webhook-address',
    'http',
    0,
    400,
    /https?:\/\/(?:hooks?\.[\w.-]{3,100}\/|[\w.-]{3,100}\/(?=[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$)|[\w.-]{0,60}ping[\w.-]{3,60}\/|[^\s"'<>]{3,200}\/(?:t|key|token|integration|private|secret|invite|reset|reset-password|magic|incoming)[/-])([\w-]{16,200})/dg,
    (value) => looksRandom(value) || (countDigits(value) > 2 && !/[-_.]/.test(value)),
  ),
  // A program keeps it on a separate line.
  place(
    'next-line-value',
    'password\nv |<auth-user-pass>',
    20,
    200,
    /(?:password\nV \d{1,3}|<auth-user-pass>\n[^\s]{1,128})\n([^\s<]{4,256})/dg,
    (value) => !isPlaceholderValue(value),
  ),
  place(
    'named-value',
    'psk|eap|xauth|ntlm|secure:|login=',
    80,
    160,
    /(?::\s{0,3}(?:PSK|EAP|XAUTH|NTLM)\s{1,4}["'](?<psk>[^"'\n]{4,256})["']|\bsecure:\s{0,3}["']?([A-Za-z0-9+/=]{40,2048})|[\w.]{0,40}login=([\da-f]{32,64})(?![\w-]))/dg,
    (value) => !isPlaceholderValue(value),
  ),
  place(
    'spoken-code',
    'totp|2fa|mfa|seed|otp',
    80,
    160,
    /(?:totp|otp|2fa|mfa|seed)[^\n]{0,30}?[ :=]["']?([A-Z2-7]{16,128})(?![A-Za-z0-9])/dgi,
    (value) => /^[A-Z2-7]{16,128}$/.test(value) && (countDigits(value) > 0 || value.length > 25),
  ),
  // A table with a column of passwords.
  place(
    'table-value',
    'password|passwd|pwd',
    120,
    800,
    /(?<=(?:^|\n)(?:[^\n]{0,100}[|,;\t])?[ \t"']{0,10}(?:password|passwd|pwd)[ \t"']{0,10}(?:[|,;\t][^\n]{0,100})?\n(?:[^\n]{0,100}\n){0,6}[^\n]{0,100}[|,;\t][ \t]{0,10})([^\s"',;|]{6,128})(?=[ \t]{0,10}(?:[|,;\t\n]|$))/dgi,
    (value) => isChosen(value) && !/[@(){}[\]\\]/.test(value),
  ),
];
