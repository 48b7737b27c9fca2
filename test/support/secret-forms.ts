/**
 * The forms in which people and programs write a secret. Secrets are composed here, so that no file contains one that
 * looks real.
 */
export interface SecretForm {
  readonly name: string;
  readonly text: string;
  /** Strings that must occur nowhere afterwards: the secret, and its written form where that differs. */
  readonly gone: readonly string[];
}

const RANDOM = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTbVk0QoCiMzWgSyHdAnPrUjFlOeI';
const PASSWORD = 'Tr0ub4dor-3x';
/** Without a digit or a symbol: only the place says that it is a secret. */
const WORD = 'swordfishes';
const SYMBOLS = 'p@ss;W0rd$x';
const TOKEN = RANDOM.slice(0, 32);
const KEY = `gh${'p_'}${RANDOM.slice(0, 36)}`;
const LINE = `password=${PASSWORD}`;

const form = (name: string, secret: string, text: string, written?: string): SecretForm => ({
  name,
  text,
  gone: written === undefined ? [secret] : [secret, written],
});

/** A sentence or a line around each secret. */
const around = (secret: string, forms: Readonly<Record<string, (secret: string) => string>>): SecretForm[] =>
  Object.entries(forms).map(([name, write]) => form(name, secret, write(secret)));

const each = (text: string, code: (unit: number) => string, glue = ''): string =>
  [...text].map((character) => code(character.charCodeAt(0))).join(glue);
const hex = (unit: number, length = 2): string => unit.toString(16).padStart(length, '0');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const lines = (text: string, width: number, glue = '\n'): string =>
  text.match(new RegExp(`.{1,${width}}`, 'gs'))?.join(glue) ?? '';
const halves = (text: string): [string, string] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];

/** What people write to agents and in notes. */
export const PROSE_FORMS: readonly SecretForm[] = [
  ...around(PASSWORD, {
    'the password is': (s) => `the password is ${s}.`,
    'password was': (s) => `Password was ${s}, please change it`,
    'password with a colon': (s) => `password: ${s}`,
    'pw without a separator': (s) => `user ann pw ${s}`,
    'pw with a colon': (s) => `login ann, pw: ${s}`,
    'passphrase is': (s) => `the passphrase is ${s} for that key`,
    'set the password to': (s) => `I set the password to ${s} yesterday`,
    'password of an account is': (s) => `the password for the admin account is ${s}`,
    'log in with user / password': (s) => `log in as ann / ${s} with this password`,
    'German Passwort ist': (s) => `Das Passwort ist ${s}`,
    'German Passwort lautet': (s) => `Das Passwort lautet: ${s}`,
    'German Kennwort': (s) => `Kennwort: ${s}`,
    'French mot de passe est': (s) => `le mot de passe est ${s}`,
    'French mot de passe with a blank before the colon': (s) => `Mot de passe : ${s}`,
    'Spanish contraseña es': (s) => `la contraseña es ${s}`,
    'Portuguese senha é': (s) => `a senha é ${s}`,
    'Dutch wachtwoord': (s) => `het wachtwoord is ${s}`,
    'Polish hasło': (s) => `hasło: ${s}`,
    'Russian пароль': (s) => `пароль: ${s}`,
    'Chinese 密码': (s) => `密码是 ${s}`,
    'Japanese パスワード': (s) => `パスワード：${s}`,
  }),
  ...around(WORD, {
    'the password is, a word': (s) => `the password is ${s}`,
    'password in quotes': (s) => `the password is "${s}" for now`,
    'password in code marks': (s) => `use the password \`${s}\` there`,
    'password with a colon, a word': (s) => `user: ann, password: ${s}`,
    'pw is, a word': (s) => `my pw is ${s}`,
    'German Passwort, a word': (s) => `Das Passwort lautet ${s}`,
    'French mot de passe, a word': (s) => `le mot de passe est ${s}`,
  }),
  ...around(TOKEN, {
    'use token … to': (s) => `use token ${s} to call the API`,
    'the token is': (s) => `the token is ${s}`,
    'the API key is': (s) => `my API key is ${s}`,
    'secret in brackets': (s) => `the secret (${s}) is in the vault`,
  }),
  ...around('48213', {
    'PIN is': (s) => `the PIN is ${s}`,
    'PIN with a colon': (s) => `PIN: ${s}`,
    'verification code': (s) => `your verification code is ${s}`,
    'OTP with a colon': (s) => `OTP: ${s}`,
  }),
  form(
    'a recovery phrase',
    'ladder velvet tunnel orbit',
    'seed phrase: ladder velvet tunnel orbit cactus mango river stone window garden pepper zebra',
  ),
];

/** Configuration files, source code and structured data. */
export const CONFIGURATION_FORMS: readonly SecretForm[] = [
  ...around(WORD, {
    'Pwd in a connection string': (s) => `Server=db;Database=shop;Uid=app;Pwd=${s};Encrypt=yes`,
    'Password in a connection string': (s) => `Data Source=db;User Id=sa;Password=${s};`,
    'password with an arrow': (s) => `'username' => 'app', 'password' => '${s}',`,
    'password with an arrow and a symbol': (s) => `:password => "${s}"`,
    'define of PHP': (s) => `define('DB_PASSWORD', '${s}');`,
    'netrc on one line': (s) => `machine git.example.org login ann password ${s}`,
    'netrc on several lines': (s) => `machine git.example.org\n  login ann\n  password ${s}`,
    'YAML block scalar': (s) => `password: |\n  ${s}\nport: 1`,
    'YAML folded scalar': (s) => `db_password: >-\n    ${s}\n`,
    'JSON in JSON': (s) => JSON.stringify(JSON.stringify({ password: s })),
    'XML attribute': (s) => `<add name="db" password="${s}"/>`,
    'XML element': (s) => `<password>${s}</password>`,
    'XML key and value': (s) => `<add key="DbPassword" value="${s}" />`,
    'JSON name and value': (s) => `{"name": "DB_PASSWORD", "value": "${s}"}`,
    '.env with export': (s) => `export DB_PASSWORD=${s}`,
    'SQL identified by': (s) => `CREATE USER app IDENTIFIED BY '${s}';`,
    'SQL with password': (s) => `ALTER ROLE app WITH PASSWORD '${s}';`,
    'redis requirepass': (s) => `requirepass ${s}`,
    'pgpass line': (s) => `db.example.org:5432:shop:app:${s}`,
    'row of a Markdown table': (s) => `| user | ann |\n| password | ${s} |`,
    'properties with a colon': (s) => `spring.datasource.password: ${s}`,
    'keyword argument': (s) => `connect(host="db", passwd="${s}")`,
    'comparison in code': (s) => `if password == "${s}":`,
  }),
  ...around(SYMBOLS, {
    'quoted value with symbols': (s) => `password: "${s}"`,
    'Pwd in quotes in a connection string': (s) => `Server=db;Uid=app;Pwd='${s}';`,
  }),
  ...around(`${RANDOM.slice(0, 43)}=`, {
    'AccountKey in a connection string': (s) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s};`,
    'SharedAccessKey in a connection string': (s) =>
      `Endpoint=sb://a.example/;SharedAccessKeyName=x;SharedAccessKey=${s}`,
    'docker configuration': (s) => `{"auths":{"https://r.example/":{"auth":"${s}"}}}`,
    'client-key-data of kubeconfig': (s) => `users:\n- user:\n    client-key-data: ${s}`,
    npmrc: (s) => `//registry.example.org/:_authToken=${s}`,
  }),
];

/** Requests, commands and URLs. */
export const COMMAND_FORMS: readonly SecretForm[] = [
  ...around(RANDOM.slice(0, 22), {
    'lower-case bearer': (s) => `authorization: bearer ${s}`,
    'lower-case basic': (s) => `authorization: basic ${s}`,
    'lower-case token': (s) => `authorization: token ${s}`,
    'lower-case apikey': (s) => `authorization: apikey ${s}`,
    'header in a list': (s) => `["authorization", "Bearer ${s}"]`,
    'header in a tuple': (s) => `('Authorization', 'Token ${s}')`,
    'api key header': (s) => `x-api-key: ${s}`,
    'auth token header': (s) => `-H "X-Auth-Token: ${s}"`,
    'private token header': (s) => `PRIVATE-TOKEN: ${s}`,
    'Set-Cookie': (s) => `Set-Cookie: session=${s}; Path=/`,
    'bearer in a URL': (s) => `wss://api.example.org/?access_token=Bearer%20${s}`,
    'presigned URL': (s) => `https://b.example/o?X-Amz-Credential=x&X-Amz-Signature=${s}`,
    'token in the fragment of a URL': (s) => `https://a.example/cb#access_token=${s}&state=1`,
    'vault login': (s) => `vault login ${s}`,
    'gh auth': (s) => `gh auth login --with-token <<< ${s}`,
    'short bearer after curl -H': (s) => `curl -H 'authorization: Bearer ${s.slice(0, 10)}' x`,
  }).map((entry) => (entry.name.startsWith('short') ? { ...entry, gone: [RANDOM.slice(0, 10)] } : entry)),
  ...around(PASSWORD, {
    'options of a user and a password': (s) => `cqlsh db.example -u ann -p ${s}`,
    'login of a proxy': (s) => `curl -U ann:${s} -x proxy.example:3128 https://a.example`,
    'cookie of curl': (s) => `curl -b 'session=${s}' https://a.example`,
    'answer of a script': (s) => `expect "assword:" { send "${s}\\r" }`,
    'file of secrets': (s) => `echo "ann:${s}" > /etc/rsyncd.secrets`,
    'login in base64 later': (s) => `echo -n 'ann:${s}' | base64`,
    'third argument of a call': (s) => `mysqli_connect('db.example', 'ann', '${s}', 'shop')`,
    'ident of an account': (s) => `npmAuthIdent: "ann:${s}"`,
    'name that ends in pass': (s) => `<Connector keystorePass="${s}" />`,
    'Oracle address': (s) => `jdbc:oracle:thin:ann/${s}@//db.example:1521/ORCL`,
    'sqlplus login': (s) => `sqlplus ann/${s}@db.example/ORCL`,
    'key of openssl': (s) => `openssl enc -aes-256-cbc -k ${s} -in a -out b`,
    'address of a webhook': () => `https://chat.example/hooks/${TOKEN.slice(0, 24)}`,
    'key of a network': (s) => `network={ ssid="office" psk="${s}" }`,
    'Windows option': (s) => `cmdkey /add:host /user:ann /pass:${s}`,
  }).map((entry) => (entry.name.startsWith('address of') ? { ...entry, gone: [TOKEN.slice(0, 24)] } : entry)),
  form('words of a passphrase', 'horse battery', 'The passphrase is correct horse battery staple'),
  ...around(WORD, {
    'line of a configuration': (s) => `user = ann\nadmin_password = ${s}\nport = 5432`,
    'ENV of an image': (s) => `ENV MYSQL_ROOT_PASSWORD ${s}`,
    'ENV of an image, after a word': (s) => `In the image: ENV MYSQL_ROOT_PASSWORD ${s}`,
    'gradle key': (s) => `keyPassword '${s}'`,
    'here-string': (s) => `read -r PASSWORD <<< "${s}"`,
    'form of a login': (s) => `user=ann&pass=${s}`,
    'setter of a password': (s) => `source.setPassword("${s}")`,
    'docker -e': (s) => `docker run -e MYSQL_ROOT_PASSWORD=${s} mysql`,
    'curl -u': (s) => `curl -u ann:${s} https://a.example`,
    'password option': (s) => `tool sync --password ${s} --all`,
    'password option with =': (s) => `tool sync --password=${s}`,
    'password from stdin': (s) => `echo ${s} | docker login -u ann --password-stdin`,
    'sudo from stdin': (s) => `echo '${s}' | sudo -S apt-get update`,
    chpasswd: (s) => `echo "ann:${s}" | chpasswd`,
    sshpass: (s) => `sshpass -p ${s} ssh ann@host`,
    'openssl pass:': (s) => `openssl rsa -in k.pem -passin pass:${s}`,
    'unzip -P': (s) => `unzip -P ${s} a.zip`,
    '7z -p': (s) => `7z x -p${s} a.7z`,
    'mysql -p': (s) => `mysql -u root -p${s} shop`,
    'ldapsearch -w': (s) => `ldapsearch -D cn=admin -w ${s} -b dc=x`,
    'smbclient user%password': (s) => `smbclient //h/s -U ann%${s}`,
    'sqlcmd -P': (s) => `sqlcmd -S db -U sa -P ${s} -Q x`,
    'mongosh -p': (s) => `mongosh -u ann -p ${s} --authenticationDatabase admin`,
    'htpasswd -b': (s) => `htpasswd -cb .htpasswd ann ${s}`,
    'from-literal of kubectl': (s) => `kubectl create secret generic x --from-literal=password=${s}`,
    'login in a URL': (s) => `ftp://ann:${s}@host.example/x`,
    'redis URL without user': (s) => `redis://:${s}@cache.example:6379/0`,
    'DSN with parentheses': (s) => `app:${s}@tcp(db:3306)/shop`,
    'PowerShell secure string': (s) => `ConvertTo-SecureString "${s}" -AsPlainText -Force`,
  }),
  ...['sk-7f3a9c2e41', 'sk-proj-8Ab3Kx9', `gh${'p_'}9aBv4Kc1Rf`, `glp${'at-'}Ab3x9Kc1`, `xox${'b-'}1234-Ab3x9`].map(
    (s) => form(`short key ${s.slice(0, 4)}${s.length}`, s, `401 for ${s} at the gateway`),
  ),
];

/** Encodings of a key, and of a name with its password. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'hexadecimal with blanks': (t) => each(t, hex, ' '),
  'hexadecimal with colons': (t) => each(t, hex, ':'),
  'hexadecimal with 0x each': (t) => each(t, (unit) => `0x${hex(unit)}`, ', '),
  'hexadecimal with one 0x': (t) => `0x${each(t, hex)}`,
  'upper-case hexadecimal': (t) => each(t, hex).toUpperCase(),
  'an array of decimals': (t) => `[${each(t, String, ', ')}]`,
  'decimals with blanks': (t) => each(t, String, ' '),
  'a buffer in JSON': (t) => `{"type":"Buffer","data":[${each(t, String, ',')}]}`,
  'calls of chr': (t) => each(t, (unit) => `chr(${unit})`, ' + '),
  'octal numbers': (t) => each(t, (unit) => unit.toString(8).padStart(3, '0'), ' '),
  'binary numbers': (t) => each(t, (unit) => unit.toString(2).padStart(8, '0'), ' '),
  'code points': (t) => each(t, (unit) => `U+${hex(unit, 4)}`, ' '),
  'a dump by xxd': (t) =>
    lines(each(t, hex), 32)
      .split('\n')
      .map((row, n) => `${hex(n * 16, 8)}: ${lines(row, 4, ' ')}  ${'.'.repeat(row.length / 2)}`)
      .join('\n'),
  'quoted-printable': (t) => each(t, (unit) => `=${hex(unit).toUpperCase()}`),
  'quoted-printable where required': (t) =>
    `Content: =C3=A9 ${t.replace(/[^A-Za-z0-9]/g, (c) => `=${hex(c.charCodeAt(0)).toUpperCase()}`)} =3D`,
  'base64 three times': (t) => base64(base64(base64(t))),
  'base64 of UTF-16, as PowerShell takes it': (t) => Buffer.from(`$x = ${t}`, 'utf16le').toString('base64'),
  'base64 with letters beyond ASCII': (t) => base64(`clé : ${t} – fin`),
  'base64 after a path': (t) => `/data/${base64(`x=${t}`)}`,
  'base64 in narrow lines': (t) => lines(base64(`the value is ${t}`), 24),
  'base64 wrapped by escaped line breaks': (t) => lines(base64(`the value is ${t}`), 40, '\\n'),
  'base64 in percent escapes': (t) => each(base64(`v=${t}`), (unit) => `%${hex(unit)}`),
  base32: (t) => base32(t),
  'combining marks': (t) => t.replace(/[A-Za-z0-9]/g, '$&\u0332'),
  'accents that compose': (t) => t.replace(/[aeiouAEIOUnsc]/g, '$&\u0301'),
  'percent escapes twice': (t) => encodeURIComponent(each(t, (unit) => `%${hex(unit).toUpperCase()}`)),
  'percent escapes of old scripts': (t) => each(t, (unit) => `%u${hex(unit, 4)}`),
  'entities without a semicolon': (t) => each(t, (unit) => `&#${unit}`),
  'named entities': (t) => t.replace(/_/g, '&lowbar;').replace(/-/g, '&hyphen;').replace(/=/g, '&equals;'),
  'escapes of JSON': (t) => each(t, (unit) => `\\u${hex(unit, 4)}`),
  'long escapes of Python': (t) => each(t, (unit) => `\\U${hex(unit, 8)}`),
  "a shell's quoted escapes": (t) => `$'${each(t, (unit) => `\\x${hex(unit)}`)}'`,
  'octal escapes': (t) => each(t, (unit) => `\\${unit.toString(8).padStart(3, '0')}`),
  'concatenation with a plus': (t) => `"${halves(t).join('" + "')}"`,
  'concatenation with a dot': (t) => `'${halves(t).join("' . '")}'`,
  'adjacent literals': (t) => `"${halves(t).join('" "')}"`,
  'adjacent literals on two lines': (t) => `("${halves(t).join('"\n     "')}")`,
  'empty quotes of a shell': (t) => halves(t).join("''"),
  'concatenation of SQL': (t) => `'${halves(t).join("' || '")}'`,
  'a joined list': (t) => `["${halves(t).join('", "')}"].join("")`,
};

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
function base32(text: string): string {
  const bits = each(text, (unit) => unit.toString(2).padStart(8, '0'));
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

export const ENCODED_FORMS: readonly SecretForm[] = Object.entries(ENCODINGS).flatMap(([name, encode]) =>
  [KEY, ...(/literals|list|quotes|base64 after/.test(name) ? [] : [LINE])].map((plain) =>
    form(
      `${plain === KEY ? 'a key' : 'a password'} in ${name}`,
      plain === KEY ? KEY : PASSWORD,
      encode(plain),
      encode(plain),
    ),
  ),
);

const PEM = `${'PRIVATE'} KEY`;
export const KEY_FORMS: readonly SecretForm[] = [
  form('a private key on one line', TOKEN, `-----BEGIN RSA ${PEM}----- ${TOKEN} ${RANDOM} -----END RSA ${PEM}-----`),
  form(
    'a private key in JSON of a service account',
    TOKEN,
    JSON.stringify({
      type: 'service_account',
      private_key: `-----BEGIN ${PEM}-----\n${TOKEN}\n-----END ${PEM}-----\n`,
    }),
  ),
  form('a private key as a C string', TOKEN, `"-----BEGIN ${PEM}-----\\n"\n"${TOKEN}\\n"\n"-----END ${PEM}-----"`),
  form('a private key behind quotation marks', TOKEN, `> -----BEGIN ${PEM}-----\n> ${TOKEN}\n> -----END ${PEM}-----`),
  form(
    'a PGP block',
    TOKEN,
    `-----BEGIN PGP ${PEM} BLOCK-----\nVersion: 1\n\n${TOKEN}\n-----END PGP ${PEM} BLOCK-----`,
  ),
  form(
    'a PuTTY key',
    TOKEN,
    `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n${TOKEN}\nPrivate-MAC: 12`,
  ),
  form(
    'the rest of a private key without its header',
    RANDOM,
    `${RANDOM.repeat(1)}\n${RANDOM}\n-----END RSA ${PEM}-----`,
  ),
  form(
    'a JSON web token without its signature',
    `ey${'JzdWIiOiIxMjM0NTY3ODkwIn0'}`,
    `ey${'JhbGciOiJIUzI1NiJ9'}.ey${'JzdWIiOiIxMjM0NTY3ODkwIn0'}`,
  ),
  form('a JSON web key', TOKEN, `{"kty":"EC","crv":"P-256","d":"${TOKEN}","x":"abc"}`),
];

export const SECRET_FORMS: readonly SecretForm[] = [
  ...PROSE_FORMS,
  ...CONFIGURATION_FORMS,
  ...COMMAND_FORMS,
  ...ENCODED_FORMS,
  ...KEY_FORMS,
];
