import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_SCANNED_LENGTH, redact } from './redact.js';

/** 62 characters in an order without pattern. Tokens are composed here, so that no file contains a whole one. */
const RANDOM = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTbVk0QoCiMzWgSyHdAnPrUjFlOeI';
const HEX = '9f3a71c04be85d26a1f7709c3e48b5d2';

const BODY = RANDOM.slice(0, 40);
const SECRET = RANDOM.slice(0, 32);

/** [description, secret, text around it] */
const FORMATS: readonly (readonly [string, string, (secret: string) => string])[] = [
  ['an AWS key id', `AK${'IA'}Q7ZT2LMX4BVKC5RF`, (s) => `aws s3 ls with ${s}`],
  ['a GitHub token', `gh${'p_'}${BODY}`, (s) => `clone failed for ${s}`],
  ['a fine-grained GitHub token', `github${'_pat_'}${BODY}`, (s) => `clone failed for ${s}`],
  ['a GitLab token', `gl${'pat-'}${RANDOM.slice(0, 20)}`, (s) => `clone failed for ${s}`],
  ['an Anthropic key', `sk-${'ant-'}api03-${BODY}`, (s) => `401 for ${s}`],
  ['an OpenAI project key', `sk-${'proj-'}${BODY}`, (s) => `401 for ${s}`],
  ['an older OpenAI key', `sk${'-'}${BODY}`, (s) => `401 for ${s}`],
  ['a Slack token', `xo${'xb-'}123456789012-${RANDOM.slice(0, 24)}`, (s) => `not_authed ${s}`],
  [
    'a Slack webhook',
    `https://hooks.slack.com/${'services'}/T0AAAA/B0BBBB/${RANDOM.slice(0, 24)}`,
    (s) => `post to ${s}`,
  ],
  ['a Google key', `AI${'za'}${RANDOM.slice(0, 35)}`, (s) => `maps?x=${s}`],
  ['an npm token', `np${'m_'}${RANDOM.slice(0, 36)}`, (s) => `.npmrc has ${s}`],
  ['a Stripe key', `sk${'_live_'}${RANDOM.slice(0, 24)}`, (s) => `charge with ${s}`],
  ['a Telegram bot token', `123456789:${'AA'}${RANDOM.slice(0, 33)}`, (s) => `bot ${s}`],
  ['a token in JSON inside JSON', `gh${'p_'}${BODY}`, (s) => `{"out":"line\\n${s}\\n"}`],
  [
    'a JSON web token',
    `ey${'JhbGciOiJIUzI1NiJ9'}.ey${'JzdWIiOiIxMjM0In0'}.${RANDOM.slice(0, 43)}`,
    (s) => `cookie ${s}`,
  ],
  ['a bearer token in a shell command', SECRET, (s) => `curl -H "Authorization: Bearer ${s}" api`],
  ['an API key header', SECRET, (s) => `curl -H 'X-Api-Key: ${s}' api`],
  ['a cookie header', `sid=${RANDOM.slice(0, 20)}; theme=dark`, (s) => `Set-Cookie: ${s}`],
  ['a password in a URL', 'correct.horse', (s) => `psql postgres://app:${s}@db/main`],
  ['a token as the user of a URL', SECRET, (s) => `git clone https://${s}@example.com/a.git`],
  ['a signature in a URL', 'Ab12%2Bcd34%3D', (s) => `GET https://example.com/blob?sv=1&sig=${s}`],
  ['an assignment in a file', 'hunter2hunter', (s) => `DB_PASSWORD=${s}`],
  ['a password without a digit', 'letmeinplease', (s) => `PGPASSWORD=${s} psql`],
  ['a quoted value', 'two words 2', (s) => `password: "${s}"`],
  ['a value in escaped JSON', 'hunter22', (s) => `{\\"password\\": \\"${s}\\"}`],
  ['a call with name and value', SECRET, (s) => `setProperty("API_TOKEN", "${s}")`],
  ['a typed declaration', SECRET, (s) => `var apiToken string = "${s}"`],
  ['an XML element', SECRET, (s) => `<apiToken>\n  ${s}\n</apiToken>`],
  ['a password in a sentence', 'Tr0ub4dor&3', (s) => `the password is ${s}`],
  ['a login for curl', 'ann:hunter22', (s) => `curl -u ${s} https://example.com`],
  ['a password for mysql', 'hunter22', (s) => `mysql -uroot -p${s} shop`],
  ['a password for docker', 'qwertyuiop', (s) => `docker login -u ann -p ${s}`],
  ['a password behind the options of a user and a host', 'hunter22', (s) => `mytool -u ann -h db -p ${s}`],
  ['a password that a script sends', 'Tr0ub4dor3', (s) => `expect "password:"; send "${s}\\r"`],
  ['one cookie of several', 'theme=dark; sid=abcdefgh', (s) => `Cookie: ${s}`],
  ['a password hash', `$6$saltsalt$${RANDOM.slice(0, 43)}`, (s) => `root:${s}:19000:0`],
  ['a value longer than any key', RANDOM.repeat(50), (s) => `token=${s}`],
  ['a random string after a telling word', SECRET, (s) => `I used the secret from the vault, ${s}, and it worked`],
  ['a hexadecimal string after a telling word', HEX, (s) => `the key, ${s}, was refused`],
];

/** Changes by an attacker or a careless tool that keep a pattern from matching. */
const DISGUISES: readonly (readonly [string, (secret: string) => string])[] = [
  ['with a zero-width space in it', (s) => `${s.slice(0, 5)}\u200b${s.slice(5)}`],
  ['with a soft hyphen in it', (s) => `${s.slice(0, 5)}\u00ad${s.slice(5)}`],
  ['in full width', (s) => s.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0))],
  ['in colour', (s) => `\x1b[32m${s.slice(0, 3)}\x1b[1m${s.slice(3)}\x1b[0m`],
  ['with NUL in it', (s) => `${s.slice(0, 5)}\0${s.slice(5)}`],
];

const found = (text: string): string[] => redact(text).redactions.map((finding) => finding.rule);

describe('redact', () => {
  it.each(FORMATS)('%s is removed and the text around it stays', (_, secret, around) => {
    const { text, redactions } = redact(around(secret));
    expect(text).not.toContain(secret);
    expect(text.replace(/\[REDACTED:[a-z0-9-]+\]/, () => secret)).toBe(around(secret));
    expect(redactions.map(({ count }) => count)).toEqual([1]);
  });

  it.each(
    DISGUISES.flatMap(([disguise, hide]) =>
      FORMATS.map(([name, secret, around]) => [`${name} ${disguise}`, secret, around(hide(secret))] as const),
    ),
  )('%s is removed as well', (_, secret, text) => {
    expect(redact(text).text).not.toContain(secret);
    expect(redact(text).redactions).toHaveLength(1);
  });

  it('a private key is removed with its body, not only its header', () => {
    const label = `${'RSA PRIVATE'} KEY`;
    const pem = `-----BEGIN ${label}-----\n${RANDOM}\n${RANDOM}\n-----END ${label}-----`;
    expect(redact(`before\n${pem}\nafter`).text).toBe('before\n[REDACTED:private-key]\nafter');
    expect(redact(`{"key":"${pem.replaceAll('\n', '\\n')}"}`).text).toBe('{"key":"[REDACTED:private-key]"}');
  });

  it('a truncated private key is removed to its end', () => {
    const text = redact(`-----BEGIN ${'PRIVATE'} KEY-----\n${RANDOM}\n${RANDOM.slice(0, 9)}`).text;
    expect(text).toBe('[REDACTED:private-key-cut]');
  });

  it.each([
    'task-1234567890123456789012345 and risk-management-of-the-things-12345 passed',
    'the header line is -----BEGIN PRIVATE KEY----- and ends there',
    'Unexpected token < in JSON at position 0',
    "KeyError: 'user_id_2'",
    'max_tokens=150000, temperature=0.3',
    'export API_KEY=$API_KEY; curl -H "Authorization: Bearer $API_KEY"',
    'set OPENAI_API_KEY=<your key> in .env, password=args.password',
    'password: required, token: str = None',
    'checked out commit 8c5f9a7be1d2c3b4a5968778695a4b3c2d1e0f11 of the client',
    'user 123e4567-e89b-12d3-a456-426614174000 was not found',
    'docker run -u 1000:1000 image; curl localhost; psql -p 5432',
    'find / -name mysql -print',
    'primary key: order_id, press any key to go on, the secret is patience',
  ])('removes nothing from: %s', (text) => {
    expect(redact(text)).toEqual({ text, redactions: [] });
  });

  it.each([
    'docker run -u node -p 8080:80/tcp img',
    'docker run --user node -p 8000-8010:8000-8010/udp img',
    'docker compose run -u node -p 127.0.0.1:8080:80 web',
    'docker exec -u www-data app mkdir -p cache2024',
    'docker exec -it -u node -w /app api mkdir -p uploads_v2',
    'docker login -u ann --password-stdin r.example2',
    'sudo -u deploy mkdir -p backup2024',
    'sudo -u deploy -H mkdir -p backup2024',
    'sudo -H -u deploy mkdir -p backup2024',
    'sudo --user deploy -- mkdir -p releases2024',
    'sudo -u ci docker compose -p shop_v2 up',
    'sudo -u ci -E docker compose -p shop2024x up',
    'sudo -u postgres pg_ctlcluster -p main14x',
    'sudo -n -u postgres createuser --no-password app_v2',
    'su -l deploy -c "mkdir -p build2024"',
    'runuser -u deploy mkdir -p build2024',
    'doas -u ann mkdir -p build2024',
    'ssh -l ann -p 2222 host "mkdir -p build2024"',
    'ssh -l ann host mkdir -p build2024',
    'ssh -o PasswordAuthentication=no -o BatchMode=yes host2',
    'python -u -m train -p exp01_v2',
    'python3 -u train -p exp01_v2',
    'python -u -W ignore -m app -p config2024',
    'pytest -l tests -p plugin2x',
    'uv pip install -U torch -p python3.11',
    'mvn -U -pl core2-api -am install',
    'dotnet test -l trx -p Config2',
    'cargo test -p my_crate2 -- --user alice',
    'git log -u -p HEAD2',
    'git push -u origin feature_v2 -p',
    'ls -l build2 -p build2024',
    'grep -l foo -p bar2024',
    'cp -u src -p dst_v2',
    'rsync -u -p dir_v2 host2:',
    'set -u; mkdir -p build2024',
    'mytool -u ann -parallelism=10',
    'gh pr create -l bug -p project2024',
    'jest -u tests -p cfg_v2',
    'systemctl --user show app -p ActiveState,SubState2',
    'systemd-run --user --scope -p MemoryHigh=2G make',
    'psql -U app -h db -p 5432 shop_v2',
    'psql -w --no-password -U ann shop2024',
    'mysqldump -u root -p --single-transaction shop',
    'mongodump -u ann -d shop_v2',
    'adduser --disabled-password ann2024',
    'wget --user=ann --ask-password https://a.example',
    'initdb --auth=trust --no-password -U ann2',
    'useradd --no-create-home --password-less ann2',
    'curl -b cookies.txt -c cookies2.txt https://a.example',
    'curl -b "lang=english; theme=dark" https://a.example',
    'curl --cookie consent=accepted https://a.example',
    'curl -b session=$SESSION https://a.example',
    'Set-Cookie: theme=dark; Path=/; Max-Age=86400; HttpOnly',
    'expect -c \'spawn ssh h; expect "password:"; send "$PASS\\r"\'',
    'expect -c \'expect "Password:" { send "$env(PW)\\r" }\'',
    'git send-email --smtp-user=ann --smtp-encryption=tls patches2024',
    'echo "olleh dlrow" | rev',
    `python -c "print('drowssap'[::-1])"`,
    'PART1=abc; PART2=def; export NAME="$PART1$PART2"',
    'KEY_PREFIX=user_; KEY_SUFFIX=_v2; echo "$KEY_PREFIX$KEY_SUFFIX"',
    'token = parts[0] + parts[1]',
  ])('keeps an ordinary command: %s', (text) => {
    expect(redact(text)).toEqual({ text, redactions: [] });
  });

  it('redactions name the rule and the count, never the match', () => {
    const { redactions } = redact(`password=${SECRET} and password=${SECRET}x, AK${'IA'}Q7ZT2LMX4BVKC5RF`);
    expect(redactions).toEqual([
      { rule: 'aws-access-key', count: 1 },
      { rule: 'password', count: 2 },
    ]);
    expect(JSON.stringify(redactions)).not.toContain(SECRET);
  });

  it.each(['gitleaks:allow', 'secretlint-disable', 'nosec', 'pragma: allowlist secret', 'noqa: S105'])(
    'the comment "%s" switches nothing off',
    (comment) => {
      const line = `api_key = "${SECRET}"`;
      for (const text of [
        `${line} # ${comment}`,
        `// ${comment}\n${line}`,
        `/* ${comment} */ ${line} /* ${comment} */`,
      ]) {
        expect(redact(text).text).not.toContain(SECRET);
      }
    },
  );

  it('a harmless beginning does not exempt a value', () => {
    for (const value of ['my-Pa55word!', 'the_real_0ne!', 'example4Pass!x', '[path]Pa55word!']) {
      expect(redact(`password="${value}"`).text).not.toContain(value);
    }
  });

  it('existing markers and placeholders stay', () => {
    const text =
      'token="[REDACTED:jwt]" password=[REDACTED:password] key: [path]/key1.py secret=[url] [REDACTED:unscannable]';
    expect(redact(text)).toEqual({ text, redactions: [] });
  });

  it('a marker does not shield adjacent text', () => {
    expect(redact(`password=[REDACTED:jwt]${SECRET}`).text).toBe('password=[REDACTED:jwt][REDACTED:password]');
  });

  it('a text above the length limit is removed as a whole, with any content', () => {
    const unscannable = { text: '[REDACTED:unscannable]', redactions: [{ rule: 'unscannable', count: 1 }] };
    expect(redact('a '.repeat(MAX_SCANNED_LENGTH / 2 + 1))).toEqual(unscannable);
    expect(redact('\ufdfa'.repeat(MAX_SCANNED_LENGTH / 2))).toEqual(unscannable);
    expect(redact('a '.repeat(MAX_SCANNED_LENGTH / 2)).redactions).toEqual([]);
  });

  it.each(['?key=', 'authorization:a ', 'cookie:a='])(
    'a text that is nothing but "%s" is given up, not worked on',
    (bait) => {
      expect(found(bait.repeat(MAX_SCANNED_LENGTH / bait.length))).toEqual(['unscannable']);
    },
  );

  it('is idempotent for texts composed of patterns that rules match', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(
          'password',
          'token',
          'key',
          '=',
          ': ',
          ' ',
          '\n',
          '"',
          "'",
          '[',
          ']',
          '\\',
          '://',
          '@',
          '/',
          '&',
          '?sig=',
          'Bearer ',
        ),
        fc.constantFrom(
          '[REDACTED:jwt]',
          '[path]',
          '[REDACTED',
          ':',
          'sk-',
          `AK${'IA'}`,
          'curl -u ',
          'mysql -p',
          '-----BEGIN PRIVATE KEY-----',
        ),
        fc.constantFrom(SECRET, HEX, RANDOM, 'eyJ', '.', '\u200b', '\u0301', 'ｋ', '\x1b[31m', '\ud800', '$6$'),
        fc.string({ unit: 'binary', maxLength: 8 }),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(pieces, (list) => {
        const once = redact(list.join('')).text;
        expect(redact(once)).toEqual({ text: once, redactions: [] });
      }),
      { numRuns: 5_000 },
    );
  });
});
