/** Texts that look random or secret and are neither: identifiers, versions, and sentences about secrets. */

const LETTERS = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTbVk0QoCiMzWgSyHdAnPrUjFlOeI';
const LOWER = '7k2m9xq4v8d1r6w3z5b0t7n2h9c4g8p1';
const HEX = '9f3a71c04be85d26a1f7709c3e48b5d2f0a6c1847be39d52a0c4d7f1e6b83952';
const CROCKFORD = '7ZT2MX9ABV4KC1RFY8WDH6NSJ3PE';
const UUID = `${HEX.slice(0, 8)}-${HEX.slice(8, 12)}-4${HEX.slice(13, 16)}-a${HEX.slice(17, 20)}-${HEX.slice(20, 32)}`;

/** Name and an example of each kind of identifier. */
export const IDS: readonly (readonly [string, string])[] = [
  ['a UUID', UUID],
  ['a ULID', `01J${CROCKFORD.slice(0, 23)}`],
  ['a ULID in lower case', `01j${CROCKFORD.slice(0, 23).toLowerCase()}`],
  ['a nanoid', `${LETTERS.slice(0, 8)}_${LETTERS.slice(8, 20)}`],
  ['a KSUID', `2${LETTERS.slice(0, 26)}`],
  ['a cuid', `c${LOWER.slice(0, 24)}`],
  ['a cuid2', `k${LOWER.slice(0, 23)}`],
  ['a xid', `c${LOWER.replace(/[w-z]/g, 'a').slice(0, 19)}`],
  ['a TypeID', `task_01j${CROCKFORD.slice(0, 23).toLowerCase()}`],
  ['an object id', HEX.slice(0, 24)],
  ['a commit', HEX.slice(0, 40)],
  ['a short commit', HEX.slice(0, 7)],
  ['a digest', `sha256:${HEX}`],
  ['a trace id', HEX.slice(0, 32)],
  ['a span id', HEX.slice(0, 16)],
  ['a traceparent', `00-${HEX.slice(0, 32)}-${HEX.slice(32, 48)}-01`],
  ['a trace of a load balancer', `1-${HEX.slice(0, 8)}-${HEX.slice(8, 32)}`],
  ['a response', `resp_${HEX.slice(0, 48)}`],
  ['a response in letters', `resp_${LETTERS.slice(0, 24)}`],
  ['a chat completion', `chatcmpl-${LETTERS.slice(0, 29)}`],
  ['a message', `msg_01${LETTERS.slice(0, 22)}`],
  ['a use of a tool', `toolu_01${LETTERS.slice(0, 22)}`],
  ['a call', `call_${LETTERS.slice(0, 24)}`],
  ['a run', `run_${LETTERS.slice(0, 24)}`],
  ['a request', `req_011${LETTERS.slice(0, 21)}`],
  ['a run with a UUID', `run-${UUID}`],
  ['a UUID with a suffix', `${UUID}-${HEX.slice(40, 56)}`],
  ['a number', '1839274650192837465'],
];

/** Places of an identifier; `{}` is the identifier. */
export const ID_PLACES = [
  '{}',
  'run {} failed',
  'execution {} ended after 12 s',
  'trace_id={}',
  'session {} was resumed',
  '"id": "{}"',
  'retry of {} after the token was refreshed',
  'auth failed in request {}',
  'request_id: {}, tokens: 120',
  'max_tokens reached in {}',
] as const;

export const AGENT_NAMES = [
  'Ada',
  'ci-runner-7f3a9c2e41',
  `agent-${UUID}`,
  `auth-agent-01J${CROCKFORD.slice(0, 23)}`,
  `build_bot_${HEX.slice(0, 12)}`,
  `worker-${LETTERS.slice(0, 21)}`,
  'token-counter-v2',
  'secret-scanner',
  'password-reset-agent-3',
  'key-rotation-bot',
  'claude-code@dev-laptop-3',
] as const;

/** Neither redaction nor generalising changes these. */
export const VERSIONS = [
  'react@18.2.0',
  'react@18.2.0-rc.next',
  'vue@v3.4.0-rc.next',
  'numpy@1.x',
  'left-pad@^1.3.0',
  'typescript@~5.4',
  'typescript@>=5.0',
  '@scope/tool@1.2.3',
  '@scope/tool@1.2.3-beta.1+build.5',
  'tool@latest',
  'python@3.12',
  'actions/checkout@v4',
  `actions/checkout@${HEX.slice(0, 40)}`,
  `image@sha256:${HEX}`,
  'pnpm@9.1.0+sha512.9f3a71c04be85d26',
  'foo@npm:bar@1.0.0',
  'foo@npm:@types/bar@1.0.0',
  'foo@workspace:packages/bar',
  'spring-boot@2.7.0.RELEASE',
  'ubuntu@22.04.lts',
] as const;

/** Sentences and code about secrets without one. */
export const TALK_ABOUT_SECRETS = [
  'Use when python3 * has failed with "python3: no such file".',
  'python -u train.py -p Data2024x',
  'wget --user=ann --ask-password https://a.example/f',
  'openssl enc -aes-256-cbc -pass file:/run/pw',
  'kubectl create secret generic db --from-file=password=/run/pw',
  'https://git.example/docs/hooks/use-effect-in-react',
  'password: required',
  'the password is incorrect',
  'The password is required.',
  'password: required, and the passphrase is optional',
  'your password was changed; the old password is no longer valid',
  'the password is stored in the vault and never logged',
  'the password must be at least 12 characters long',
  'Passwort ist falsch, mot de passe incorrect',
  'password: string',
  'password: Optional[str] = None',
  'password = getpass()',
  'password = settings.password',
  'print(f"password: {p1.password}")',
  'we pass evaluate=False to it',
  'The pin is bent; pin: 4, pin 1.21',
  'ping is 4821 ms, and standard: 48213 rows',
  'use token refresh to keep the session',
  'use the token to call the API',
  'the token is expired, the token is a string',
  '**Insecure Password Reset**: use tokens that expire',
  'the API key is missing from the environment',
  'echo done | docker ps',
  'mysql -p asks for the password',
  'unzip -o a.zip && 7z x b.7z',
  'psql -U app -p 5432',
  '<password>string</password>',
  '{"name": "token", "value": "required"}',
  'git commit -m "password: handle empty values"',
  'the seed phrase has twelve words',
  'sk-learn-1.2 and npm_config_cache, hf_hub_download',
  'x = [103, 104, 112, 95, 113, 55, 90, 116, 50]',
  'ports 80 443 22 8080 and 3306 5432 are open',
  '00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............',
] as const;
