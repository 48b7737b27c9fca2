import { z } from 'zod';
import { type Environment, PROJECT_ROOT, processEnvironment } from './environment.js';
import { MEMORY_SETTINGS } from './memory-settings.js';
import { PROMOTION_SETTINGS } from './promotion-settings.js';
import { folderProblems, PROPOSER_SETTINGS } from './proposer-settings.js';
import { RECALL_SETTINGS } from './recall-settings.js';
import {
  define,
  flag,
  folder,
  fraction,
  integer,
  list,
  optionalFolder,
  optionalText,
  type Setting,
  secret,
  text,
  webOrigin,
} from './setting.js';

export { PROJECT_ROOT };

/** Every setting of the server: its variable, bounds, default and meaning. Numbers are the defaults of the spec. */
export const SETTINGS = {
  host: define('GUILDBOOK_HOST', text('127.0.0.1'), 'Address to listen on. Only loopback by default.'),
  port: define('GUILDBOOK_PORT', integer(4747, 0, 65_535), 'Port to listen on; 0 takes a free one.'),
  bodyLimitBytes: define(
    'GUILDBOOK_BODY_LIMIT_BYTES',
    integer(4_194_304, 1_024, 67_108_864),
    'Largest request body in bytes; more is a 413.',
  ),
  publicUrl: define(
    'GUILDBOOK_PUBLIC_URL',
    webOrigin(false),
    'The address that people have in their browser, such as https://guildbook.example.org.',
  ),
  rateLimitSeconds: define('GUILDBOOK_RATE_LIMIT_SECONDS', integer(60, 1, 3_600), 'The span that the limits are for.'),
  rateLimitPrincipal: define(
    'GUILDBOOK_RATE_LIMIT_PRINCIPAL',
    integer(6_000, 1, 10_000_000),
    'Requests of one agent, person or service in that span; more are a 429. Counted by each process.',
  ),
  rateLimitOwner: define(
    'GUILDBOOK_RATE_LIMIT_OWNER',
    integer(12_000, 1, 10_000_000),
    'Requests of all agents and services of one owner together.',
  ),
  rateLimitRefused: define(
    'GUILDBOOK_RATE_LIMIT_REFUSED',
    integer(120, 1, 10_000_000),
    'Requests of one address whose credential is not accepted.',
  ),
  rateLimitPublic: define('GUILDBOOK_RATE_LIMIT_PUBLIC', integer(600, 1, 10_000_000), 'Skills read by one address.'),
  trustedProxies: define(
    'GUILDBOOK_TRUSTED_PROXIES',
    list,
    'Addresses or networks of reverse proxies, separated by commas: whose X-Forwarded-For and -Proto are believed.',
  ),
  logFormat: define(
    'GUILDBOOK_LOG_FORMAT',
    z.enum(['json', 'text']).default('json'),
    'json (one record a line) or text.',
  ),
  databaseUrl: secret('DATABASE_URL', 'PostgreSQL 15 or newer. Empty: the embedded database in GUILDBOOK_DATA_DIR.'),
  dataDir: define('GUILDBOOK_DATA_DIR', folder('.data/database'), 'Folder of the embedded database.'),
  journalName: define(
    'GUILDBOOK_JOURNAL_NAME',
    text('guildbook/journal').refine((name) => /^[^\s+]{1,200}$/.test(name), { error: 'must hold no space and no +' }),
    'The name under which the journal is signed: unlike that of any other one, such as guildbook.example.org/journal.',
  ),
  journalKeyFile: define(
    'GUILDBOOK_JOURNAL_KEY_FILE',
    optionalFolder,
    'Ed25519 private key (PEM) that signs the journal. Empty: journal-key.pem beside GUILDBOOK_DATA_DIR, made at the first start.',
  ),
  journalTrustedKeys: define(
    'GUILDBOOK_JOURNAL_TRUSTED_KEYS',
    list,
    'Verifier keys of earlier or other servers of this journal, separated by commas.',
  ),
  journalCheckpointMinutes: define(
    'GUILDBOOK_JOURNAL_CHECKPOINT_MINUTES',
    integer(10, 1, 1_440),
    'How often the head of the journal is signed, where it has moved.',
  ),
  skillsDir: define(
    'GUILDBOOK_SKILLS_DIR',
    folder('skills'),
    'The skills repository: a git repository of its own, created at the first start.',
  ),
  publicSkills: define(
    'GUILDBOOK_PUBLIC_SKILLS',
    flag(true),
    'true: the approved skills can be installed from this server without a credential (.well-known/agent-skills).',
  ),
  skillsRemote: define(
    'GUILDBOOK_SKILLS_REMOTE',
    optionalText,
    'An https:, ssh: or file: address to push the skills repository to. Empty: none.',
  ),
  skillsRemoteBranch: define(
    'GUILDBOOK_SKILLS_REMOTE_BRANCH',
    text('main'),
    'The branch there: main, or one that you open a pull request from.',
  ),
  skillsRemoteToken: secret('GUILDBOOK_SKILLS_REMOTE_TOKEN', 'Access token for an https: remote.'),
  gitBinary: define('GUILDBOOK_GIT', text('git'), 'The git program.'),
  personalTokenMinutes: define(
    'GUILDBOOK_PERSONAL_TOKEN_MINUTES',
    integer(60, 1, 60),
    'Life of the token that a sign-in gives. Only such a token can decide, so 60 is the upper bound.',
  ),
  signInDays: define(
    'GUILDBOOK_SIGN_IN_DAYS',
    integer(30, 1, 90),
    'For how long a person can sign in again without a new invitation.',
  ),
  oidcIssuer: define(
    'GUILDBOOK_OIDC_ISSUER',
    webOrigin(true),
    'OpenID Connect provider that people sign in with. Needs the next two and GUILDBOOK_PUBLIC_URL.',
  ),
  oidcClientId: define('GUILDBOOK_OIDC_CLIENT_ID', optionalText, 'The name of this server at the provider.'),
  oidcClientSecret: secret('GUILDBOOK_OIDC_CLIENT_SECRET', 'Its secret there.'),
  gatherQuietSeconds: define(
    'GUILDBOOK_GATHER_QUIET_SECONDS',
    integer(15, 0, 3_600),
    'Executions that arrive piece by piece (traces, hooks): how long after their end late pieces are waited for.',
  ),
  gatherPauseMinutes: define(
    'GUILDBOOK_GATHER_PAUSE_MINUTES',
    integer(30, 1, 1_440),
    'The same where only a pause was seen: after this long without another piece it was the end.',
  ),
  gatherHours: define(
    'GUILDBOOK_GATHER_HOURS',
    integer(24, 1, 720),
    'After this long without another piece, an execution without an end is reported as unfinished, and its pieces are deleted.',
  ),
  captureStrategy: define(
    'GUILDBOOK_CAPTURE',
    z.enum(['failure', 'success', 'hybrid']).default('hybrid'),
    'Which finished executions may teach.',
  ),
  minQualityScore: define(
    'GUILDBOOK_MIN_QUALITY_SCORE',
    z.coerce.number().min(0).max(10).default(8),
    'Quality from which a verified success teaches (0 to 10).',
  ),
  successQualityPercentile: define(
    'GUILDBOOK_SUCCESS_QUALITY_PERCENTILE',
    integer(75, 0, 100),
    "A success must also be at or above this percentile of its agent's recent completed executions.",
  ),
  ...PROPOSER_SETTINGS,
  ...MEMORY_SETTINGS,
  ...PROMOTION_SETTINGS,
  ...RECALL_SETTINGS,
  evolverEnabled: define(
    'GUILDBOOK_EVOLVER_ENABLED',
    flag(false),
    'true: cycles also run on schedule. By request they always can.',
  ),
  evolverCron: define('GUILDBOOK_EVOLVER_CRON', text('0 */6 * * *'), 'When scheduled cycles run (cron, server time).'),
  evolverWindowDays: define('GUILDBOOK_EVOLVER_WINDOW_DAYS', integer(30, 1, 365), 'How far back a cycle looks.'),
  minAgentsForPattern: define(
    'GUILDBOOK_MIN_AGENTS_FOR_PATTERN',
    integer(3, 2, 1_000),
    'Distinct agents on independent tasks that must have met a pattern.',
  ),
  minOwnersForPattern: define(
    'GUILDBOOK_MIN_OWNERS_FOR_PATTERN',
    integer(1, 1, 1_000),
    'Distinct owners of those agents. 2 or more guards against one owner inventing agents.',
  ),
  minConfidenceForOrgPromotion: define(
    'GUILDBOOK_MIN_CONFIDENCE_FOR_ORG_PROMOTION',
    fraction(0.8),
    'A pattern below this confidence is counted, not proposed.',
  ),
  maxProposalsPerCycle: define(
    'GUILDBOOK_MAX_PROPOSALS_PER_CYCLE',
    integer(10, 1, 100),
    'Proposals of one cycle; what the cap held back is counted.',
  ),
  rolloutPercent: define(
    'GUILDBOOK_ROLLOUT_PERCENT',
    z.enum(['5', '25', '100']).default('100').transform(Number),
    'Share of the agents that receives a skill when it is approved: 5, 25 or 100. Git reaches everybody at once.',
  ),
  maxOrgEntries: define(
    'GUILDBOOK_MAX_ORG_ENTRIES',
    integer(10_000, 1, 100_000),
    'Org skills that can be live at once.',
  ),
  requiresHumanApproval: define(
    'GUILDBOOK_REQUIRES_HUMAN_APPROVAL',
    z
      .literal('true')
      .default('true')
      .transform(() => true as const),
    'Always true: the gate cannot be configured away.',
  ),
  maxPendingApprovals: define(
    'GUILDBOOK_MAX_PENDING_APPROVALS',
    integer(100, 1, 100_000),
    'Items that may wait before cycles hold their proposals back. What people ask for is not held back.',
  ),
  approvalQuorum: define('GUILDBOOK_APPROVAL_QUORUM', integer(1, 1, 20), 'Reviewers who have to approve an item.'),
  approvalQuorumHighRisk: define(
    'GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK',
    integer(2, 1, 20),
    'The same for items of high and critical risk. 1 where one person approves alone.',
  ),
  approvalExpiryDays: define(
    'GUILDBOOK_APPROVAL_EXPIRY_DAYS',
    integer(14, 1, 365),
    'Days until an undecided item expires.',
  ),
  webhooksAllowPrivate: define(
    'GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE',
    flag(false),
    'true: webhooks may also go to private addresses, and by http: to this machine. For tests.',
  ),
} as const satisfies Record<string, Setting>;

export type Config = { readonly [K in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[K]['schema']> };

/** Reads the settings once. Throws one error that names every variable that is wrong, and never its value. */
export function loadConfig(environment: Environment = processEnvironment()): Config {
  const problems: string[] = [];
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const parsed = setting.schema.safeParse(environment[setting.env] || undefined);
    if (!parsed.success) problems.push(`${setting.env}: ${parsed.error.issues.map((i) => i.message).join('; ')}`);
    return [name, parsed.data];
  });
  const given = (name: keyof typeof SETTINGS) => (environment[SETTINGS[name].env] ?? '') !== '';
  for (const name of ['oidcClientId', 'oidcClientSecret', 'publicUrl'] as const)
    if (given('oidcIssuer') && !given(name))
      problems.push(`${SETTINGS[name].env}: is needed with GUILDBOOK_OIDC_ISSUER`);
  for (const name of ['embedderUrl', 'embedderModel'] as const)
    if (environment[SETTINGS.embedder.env] === 'http' && !given(name))
      problems.push(`${SETTINGS[name].env}: is needed with GUILDBOOK_EMBEDDER=http`);
  // Every entry was parsed by the schema that its type is taken from.
  const config = Object.fromEntries(entries) as Config;
  problems.push(...folderProblems(config));
  if (problems.length > 0) throw new Error(`Configuration is not valid:\n  ${problems.join('\n  ')}`);
  return config;
}

/** The text of `.env.example`: every variable with its meaning and default. */
export function describeConfig(): string {
  const head =
    '# Generated from src/platform/config/config.ts by `npm run env:example`. Copy to .env and change what you need.';
  const blocks = Object.values<Setting>(SETTINGS).map(({ env, schema, doc, secret: isSecret }) => {
    const parsed = schema.safeParse(undefined);
    const value = isSecret || !parsed.success || parsed.data === undefined ? '' : String(parsed.data);
    const shown = value.startsWith(PROJECT_ROOT) ? value.slice(PROJECT_ROOT.length) : value;
    return `# ${doc}\n${env}=${shown}`;
  });
  return `${[head, ...blocks].join('\n\n')}\n`;
}
