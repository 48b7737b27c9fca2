import {
  credential,
  define,
  flag,
  folder,
  gitRemote,
  integer,
  list,
  matching,
  networks,
  oneOf,
  optionalFile,
  optionalText,
  postgresAddress,
  safeAddress,
  safeOrigin,
  secret,
  text,
} from './setting.js';

/** Where the server listens, where it keeps what it has, and how people sign in. */
export const SERVER_SETTINGS = {
  host: define(
    'GUILDBOOK_HOST',
    text('127.0.0.1'),
    'Address to listen on. Change it when other machines connect; the default is this machine only.',
  ),
  port: define(
    'GUILDBOOK_PORT',
    integer(4747, 0, 65_535),
    'Port to listen on; 0 takes a free one. Change it when another program has this one.',
  ),
  publicUrl: define(
    'GUILDBOOK_PUBLIC_URL',
    safeOrigin,
    'The address that people have in their browser, such as https://guildbook.example.org. Set it behind a reverse proxy, for single sign-on and for links in webhooks.',
  ),
  trustedProxies: define(
    'GUILDBOOK_TRUSTED_PROXIES',
    networks,
    'Reverse proxies whose X-Forwarded-For and -Proto are believed. Set it behind one, or all strangers count as one address.',
    'operate.md#limits',
  ),
  rateLimitPrincipal: define(
    'GUILDBOOK_RATE_LIMIT_PRINCIPAL',
    integer(6_000, 1, 10_000_000),
    'Requests of one agent, person or service in a minute, counted by each process; more are a 429. An owner has twice as many. Raise it for a service that reports for a large fleet.',
    'operate.md#limits',
  ),
  logFormat: define(
    'GUILDBOOK_LOG_FORMAT',
    oneOf('json', ['json', 'text']),
    'json writes one record a line. Choose text to read the log in a terminal.',
  ),
  databaseUrl: secret(
    'DATABASE_URL',
    postgresAddress,
    'Address of PostgreSQL 15 or newer. Set it for data that survives a power cut, or for several processes. Empty: the embedded database.',
  ),
  dataDir: define(
    'GUILDBOOK_DATA_DIR',
    folder('.data/database'),
    'Folder of the embedded database. Change it to keep data outside the project folder.',
  ),
  journalName: define(
    'GUILDBOOK_JOURNAL_NAME',
    matching('guildbook/journal', /^[^\s+]{1,200}$/, 'up to 200 characters without spaces and `+`'),
    'Name under which the journal is signed, such as guildbook.example.org/journal. Change it when you have several journals.',
    'journal.md#keep-the-key-and-a-checkpoint-elsewhere',
  ),
  journalKeyFile: define(
    'GUILDBOOK_JOURNAL_KEY_FILE',
    optionalFile,
    'Ed25519 private key (PEM) that signs the journal. Set it to keep the key apart from the data. Empty: journal-key.pem beside GUILDBOOK_DATA_DIR, made at the first start.',
    'journal.md#keep-the-key-and-a-checkpoint-elsewhere',
  ),
  journalTrustedKeys: define(
    'GUILDBOOK_JOURNAL_TRUSTED_KEYS',
    list('verifier keys (`name+hash+key`), separated by commas', (key) => /^[^\s+]+\+[0-9a-f]{8}\+\S+$/.test(key)),
    'Verifier keys of earlier servers of this journal. Set it after the key has changed.',
    'journal.md#keep-the-key-and-a-checkpoint-elsewhere',
  ),
  skillsDir: define(
    'GUILDBOOK_SKILLS_DIR',
    folder('skills'),
    'The skills repository: a git repository of its own, created at the first start. Change it to keep it outside the project folder.',
  ),
  publicSkills: define(
    'GUILDBOOK_PUBLIC_SKILLS',
    flag(true),
    'Whether approved skills can be installed from this server without a credential (.well-known/agent-skills). Choose false when skills are not for everybody who reaches the server.',
  ),
  skillsRemote: define(
    'GUILDBOOK_SKILLS_REMOTE',
    gitRemote,
    'Address to push the skills repository to. Set it to have skills at your git host. Empty: none.',
  ),
  skillsRemoteBranch: define(
    'GUILDBOOK_SKILLS_REMOTE_BRANCH',
    matching(
      'main',
      /^(?=.{1,200}$)(?!.*\.lock$)[A-Za-z0-9][A-Za-z0-9_-]*(?:[./][A-Za-z0-9][A-Za-z0-9_-]*)*$/,
      'the name of a branch',
    ),
    'Branch at the remote. Change it to open pull requests from a branch other than main.',
  ),
  skillsRemoteToken: secret(
    'GUILDBOOK_SKILLS_REMOTE_TOKEN',
    credential,
    'Access token for an https: remote. Set it when the remote asks for one.',
  ),
  signInDays: define(
    'GUILDBOOK_SIGN_IN_DAYS',
    integer(30, 1, 90),
    'Days for which a person can sign in again without a new invitation. Lower it when your policy asks for shorter sessions.',
    'manage-access.md#tokens',
  ),
  oidcIssuer: define(
    'GUILDBOOK_OIDC_ISSUER',
    safeAddress,
    'OpenID Connect provider that people sign in with. Set it for single sign-on; it needs the next two and GUILDBOOK_PUBLIC_URL.',
    'manage-access.md#set-up-single-sign-on',
  ),
  oidcClientId: define(
    'GUILDBOOK_OIDC_CLIENT_ID',
    optionalText,
    'Name of this server at the provider. Set it with GUILDBOOK_OIDC_ISSUER.',
  ),
  oidcClientSecret: secret(
    'GUILDBOOK_OIDC_CLIENT_SECRET',
    optionalText,
    'Secret of this server at the provider. Set it with GUILDBOOK_OIDC_ISSUER.',
  ),
  webhooksAllowPrivate: define(
    'GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE',
    flag(false),
    'Whether webhooks may go to private addresses, and by http: to this machine. Choose true for a receiver in your own network; administrators then reach every private address from this server.',
    'webhooks.md#where-messages-go',
  ),
} as const;
