import { PLACES } from './places.js';
import {
  branchName,
  credential,
  define,
  flag,
  folder,
  httpAddress,
  integer,
  list,
  matching,
  metricsToken,
  networks,
  oneOf,
  oneTimeToken,
  optionalFile,
  optionalText,
  postgresAddress,
  remoteAddress,
  safeAddress,
  safeOrigin,
  secret,
  signingKey,
  text,
} from './setting.js';

/** Network, storage and sign-in of the server. */
export const SERVER_SETTINGS = {
  host: define(
    'GUILDBOOK_HOST',
    text('127.0.0.1'),
    'Address to listen on. Change it if other machines connect; the default accepts connections from this machine only.',
  ),
  port: define(
    'GUILDBOOK_PORT',
    integer(4747, 0, 65_535),
    'Port to listen on; 0 chooses a free one. Change it if another program uses this one.',
  ),
  publicUrl: define(
    'GUILDBOOK_PUBLIC_URL',
    safeOrigin,
    'The address that people open in their browser, such as https://guildbook.example.org. Set it behind a reverse proxy, for single sign-on and for links in webhooks.',
  ),
  trustedProxies: define(
    'GUILDBOOK_TRUSTED_PROXIES',
    networks,
    'Reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted. Set it behind a proxy; otherwise all unauthenticated clients count as one address.',
    'operate.md#limits',
  ),
  rateLimitPrincipal: define(
    'GUILDBOOK_RATE_LIMIT_PRINCIPAL',
    integer(6_000, 1, 10_000_000),
    'Requests per minute of one agent, person or service, counted by each process; further ones are answered with 429. An owner has three times as many, in which each of their agents has a share. Raise it for a service that reports for a large fleet.',
    'operate.md#limits',
  ),
  logFormat: define(
    'GUILDBOOK_LOG_FORMAT',
    oneOf('auto', ['auto', 'json', 'text']),
    'json writes one record per line, text a line for people. auto: warnings and errors as text on a terminal, otherwise json. Set text to read the whole log in a terminal.',
  ),
  metricsToken: secret(
    'GUILDBOOK_METRICS_TOKEN',
    metricsToken,
    'Token with which Prometheus reads /metrics, and which opens nothing else, such as the output of `openssl rand -hex 32`. Set it to have metrics. Empty: the route does not exist, and nothing is counted.',
  ),
  otlpEndpoint: define(
    'GUILDBOOK_OTLP_ENDPOINT',
    httpAddress,
    'Address of an OpenTelemetry collector for OTLP over HTTP, such as http://127.0.0.1:4318. Set it to send traces and metrics there. Empty: nothing is sent.',
    'observe.md#opentelemetry',
  ),
  databaseUrl: secret(
    'DATABASE_URL',
    postgresAddress,
    'Address of PostgreSQL 15 or newer. Set it for data that survives a power cut, or for several processes. Empty: the embedded database.',
  ),
  dataDir: define(
    'GUILDBOOK_DATA_DIR',
    folder(PLACES.dataDir),
    "Folder of the embedded database. Change it to keep the data elsewhere. The default of an installed program is in the user's data folder, such as ~/.local/share/guildbook/database.",
  ),
  journalName: define(
    'GUILDBOOK_JOURNAL_NAME',
    matching('guildbook/journal', /^[^\s+]{1,200}$/, 'up to 200 characters without spaces and `+`'),
    'Name under which the journal is signed, such as guildbook.example.org/journal. Change it if you have several journals.',
    'journal.md#keep-the-key-and-a-checkpoint-elsewhere',
  ),
  journalKeyFile: define(
    'GUILDBOOK_JOURNAL_KEY_FILE',
    optionalFile,
    'Ed25519 private key (PEM) that signs the journal. Set it to keep the key apart from the data. Empty: journal-key.pem beside GUILDBOOK_DATA_DIR, created at the first start.',
    'journal.md#keep-the-key-and-a-checkpoint-elsewhere',
  ),
  journalKey: {
    ...secret(
      'GUILDBOOK_JOURNAL_KEY',
      signingKey,
      'The key that signs the journal, in place of a file: the PEM, or the output of `base64 -w0 journal-key.pem`. Set it where secrets are variables. GUILDBOOK_JOURNAL_KEY_FILE names a file with the same content.',
    ),
    hasOwnFile: true as const,
  },
  journalTrustedKeys: define(
    'GUILDBOOK_JOURNAL_TRUSTED_KEYS',
    list('verifier keys (`name+hash+key`), separated by commas', (key) => /^[^\s+]+\+[0-9a-f]{8}\+\S+$/.test(key)),
    'Verifier keys with which this journal was signed before. Set it after the key has changed.',
    'journal.md#keep-the-key-and-a-checkpoint-elsewhere',
  ),
  auditFile: define(
    'GUILDBOOK_AUDIT_FILE',
    optionalFile,
    'File to which this process appends every journal entry as a JSON line. Set it to have a copy that a log shipper reads or another machine mounts. Of several processes, only those with this setting write it. Empty: none.',
    'journal.md#send-the-journal-elsewhere',
  ),
  skillsDir: define(
    'GUILDBOOK_SKILLS_DIR',
    folder(PLACES.skillsDir),
    'Folder of the skills repository, a separate git repository created at the first start. Change it to keep it elsewhere. The default of an installed program is beside the data folder.',
  ),
  publicSkills: define(
    'GUILDBOOK_PUBLIC_SKILLS',
    flag(true),
    'Whether approved skills can be installed from this server without a credential (.well-known/agent-skills). Choose false if not everyone who can reach the server may read the skills.',
  ),
  skillsRemote: define(
    'GUILDBOOK_SKILLS_REMOTE',
    remoteAddress,
    'Git remote to which the skills repository is pushed. Set it to have the skills at your git host. Empty: none.',
  ),
  skillsRemoteBranch: define(
    'GUILDBOOK_SKILLS_REMOTE_BRANCH',
    branchName('main'),
    'Branch at the remote. Change it to push to another branch than main, from which you open pull requests yourself.',
  ),
  skillsRemoteToken: secret(
    'GUILDBOOK_SKILLS_REMOTE_TOKEN',
    credential,
    'Access token for an https: remote. Set it if the remote requires one.',
  ),
  skillsPullRequests: define(
    'GUILDBOOK_SKILLS_PULL_REQUESTS',
    oneOf('off', ['off', 'github', 'gitlab']),
    'Host at which decisions are proposed by pull requests to the branch of the remote. Set it if that branch is protected against pushes.',
    'skills-repository.md#pull-requests',
  ),
  skillsPullRequestToken: secret(
    'GUILDBOOK_SKILLS_PULL_REQUEST_TOKEN',
    credential,
    'Access token that may open pull requests. Set it with GUILDBOOK_SKILLS_PULL_REQUESTS if the token of the remote may not. Empty: the token of the remote.',
  ),
  skillsPullRequestApi: define(
    'GUILDBOOK_SKILLS_PULL_REQUEST_API',
    safeAddress,
    "Address of the host's API, such as https://git.example.org/api/v4. Set it if it is not at the host of the remote. Empty: derived from the remote.",
  ),
  adminToken: secret(
    'GUILDBOOK_ADMIN_TOKEN',
    oneTimeToken,
    'One-time token with which an administrator signs in while no administrator can, such as gbo_ followed by the output of `openssl rand -hex 24`. Set it for a first start without a terminal, or if the token of an earlier start is lost. It works once.',
  ),
  signInDays: define(
    'GUILDBOOK_SIGN_IN_DAYS',
    integer(30, 1, 90),
    'Days during which a person can sign in again without a new invitation. Lower it if your policy requires shorter sessions.',
    'manage-access.md#tokens',
  ),
  oidcIssuer: define(
    'GUILDBOOK_OIDC_ISSUER',
    safeAddress,
    'URL of the OpenID Connect provider that people sign in with. Set it for single sign-on, together with the next two settings and GUILDBOOK_PUBLIC_URL.',
    'manage-access.md#set-up-single-sign-on',
  ),
  oidcClientId: define(
    'GUILDBOOK_OIDC_CLIENT_ID',
    optionalText,
    'Client ID of this server at the provider. Set it with GUILDBOOK_OIDC_ISSUER.',
  ),
  oidcClientSecret: secret(
    'GUILDBOOK_OIDC_CLIENT_SECRET',
    optionalText,
    'Client secret of this server at the provider. Set it with GUILDBOOK_OIDC_ISSUER.',
  ),
  webhooksAllowPrivate: define(
    'GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE',
    flag(false),
    'Whether webhooks may be sent to private addresses, and over http: to this machine. Choose true for a receiver in your own network; administrators can then reach every private address from this server.',
    'webhooks.md#where-messages-go',
  ),
} as const;
