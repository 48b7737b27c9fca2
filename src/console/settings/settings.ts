import type { Issued, ListedPrincipal } from '../../access/identity/access.schema.js';
import { groupName } from '../../access/identity/review-scope.js';
import { type Config, SETTINGS } from '../../platform/config/config.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { moment } from '../frame/in-words.js';
import { reviewScopeText } from './review-scope-form.js';

type Name = keyof typeof SETTINGS;

/** The groups of settings; settings that are in no group come last. */
const GROUPS: readonly (readonly [group: string, title: string, names: readonly Name[]])[] = [
  [
    'schedules',
    'Schedules',
    [...(['evolverEnabled', 'evolverCron', 'evolverWindowDays', 'upkeepCron', 'proposalExpiryDays'] as const)],
  ],
  [
    'budgets',
    'Budgets and the proposer',
    [
      ...(['proposerDayTokens', 'proposerDayUsd', 'proposerEnabled', 'proposerModel'] as const),
      ...(['anthropicApiKey', 'anthropicBaseUrl', 'proposerTimeoutSeconds', 'proposerInputPrice'] as const),
      ...(['proposerOutputPrice', 'skillMdDirectory'] as const),
    ],
  ],
  [
    'remotes',
    'Skills and remotes',
    [
      ...(['skillsRemote', 'skillsRemoteBranch', 'skillsRemoteToken', 'skillsPullRequests'] as const),
      ...(['skillsPullRequestToken', 'skillsPullRequestApi', 'skillsDir', 'publicSkills'] as const),
    ],
  ],
  ['gate', 'Approval gate', ['approvalQuorum', 'approvalQuorumHighRisk', 'rolloutPercent']],
  [
    'patterns',
    'Patterns',
    ['minAgentsForPattern', 'minOwnersForPattern', 'minConfidenceForProposal', 'maxProposalsPerCycle'],
  ],
  [
    'memory',
    'Private lessons',
    ['memoryCapacity', 'neverRetrievedDays', 'pruning', 'pruningMaxAgeDays', 'propagation'],
  ],
  [
    'access',
    'Sign-in and limits',
    [
      ...(['publicUrl', 'signInDays', 'oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const),
      ...(['rateLimitPrincipal', 'trustedProxies', 'webhooksAllowPrivate', 'auditFile'] as const),
    ],
  ],
];

/**
 * Every setting with its current value, in groups. Secrets are only shown as set; passwords in addresses are redacted.
 */
export function settingGroups(config: Config) {
  const named = new Set(GROUPS.flatMap(([, , names]) => names));
  // Object.keys loses the type of the object that it is given.
  const rest = (Object.keys(SETTINGS) as Name[]).filter((name) => !named.has(name));
  return [...GROUPS, ['rest', 'Server', rest] as const].map(([group, title, names]) => ({
    group,
    title,
    rows: names.map((name) => ({ env: SETTINGS[name].env, doc: SETTINGS[name].doc, value: shownValue(config, name) })),
  }));
}

function shownValue(config: Config, name: Name): string {
  const value: unknown = config[name];
  const isUnset = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  if (isUnset) return 'not set';
  if ('secret' in SETTINGS[name]) return 'set (hidden)';
  return redact(Array.isArray(value) ? value.join(', ') : String(value)).text;
}

/** A principal as a row of the settings. A disabled principal has no actions. */
export function principalRow(principal: ListedPrincipal, myId: string, now: Date) {
  const { id, kind, name, email, roles, reviewScope, role, department, owner, lastUsedAt, disabledAt } = principal;
  const isActive = disabledAt === null;
  return {
    id,
    name,
    email: email ?? '',
    role: role ?? '',
    department: department ?? '',
    owner: owner ?? '',
    isReviewer: roles.includes('reviewer'),
    isAdmin: roles.includes('admin'),
    reviewScope: reviewScope === null ? 'whole organisation' : reviewScope.map(groupName).join(', '),
    reviewScopeText: reviewScopeText(reviewScope),
    used: lastUsedAt === null ? null : moment(lastUsedAt, now),
    expires: principal.tokenExpiresAt === null ? null : moment(principal.tokenExpiresAt, now),
    hasToken: principal.hasToken,
    ended: disabledAt && moment(disabledAt, now).says,
    can: {
      change: isActive && kind === 'person',
      invite: isActive && kind === 'person' && id !== myId,
      rotate: isActive && kind !== 'person',
      revoke: isActive && id !== myId,
    },
  };
}

const HOOKS = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'],
  ...['Stop', 'StopFailure', 'SessionEnd'],
];
const OF_TOOLS = /Tool|Permission/;

/** The hooks of Claude Code that report to this server, in the format of its settings file. */
export function claudeCodeHooks(origin: string): string {
  const hook = {
    type: 'http',
    url: `${origin}/v1/hooks/claude-code`,
    headers: { Authorization: `Bearer $\{GUILDBOOK_TOKEN}` },
    allowedEnvVars: ['GUILDBOOK_TOKEN'],
    timeout: 5,
  };
  const entries = HOOKS.map((event) => {
    const rule = { ...(OF_TOOLS.test(event) ? { matcher: '*' } : {}), hooks: [hook] };
    return `    ${JSON.stringify(event)}: ${JSON.stringify([rule])}`;
  });
  return `{\n  "hooks": {\n${entries.join(',\n')}\n  }\n}`;
}

/** A new credential, shown once, with ready-made commands that contain the address and the token. */
export function issuedView({ principal, token, expiresAt }: Issued, origin: string, back: string, now: Date) {
  const { kind, name } = principal;
  return {
    name,
    token,
    back,
    kind,
    title: `${kind === 'person' ? 'Invitation' : 'Token'} of ${name}`,
    link: kind === 'person' ? `${origin}/sign-in?token=${token}` : null,
    login: kind === 'person' ? `guildbook login --server ${origin} --token ${token}` : null,
    importing: kind === 'service' ? importCommand(origin, token) : null,
    reporting: kind === 'agent' ? reportCommand(origin, token, now) : null,
    hooks: kind === 'agent' ? claudeCodeHooks(origin) : null,
    until: expiresAt && moment(expiresAt, now).exact,
  };
}

const importCommand = (origin: string, token: string): string =>
  `export GUILDBOOK_SERVER=${origin}\nexport GUILDBOOK_TOKEN=${token}\nguildbook import ~/.claude/projects`;

function reportCommand(origin: string, token: string, now: Date): string {
  const report = {
    executionId: 'first-run',
    taskId: 'try-it',
    taskTitle: 'Try the report',
    startedAt: new Date(now.getTime() - 60_000).toISOString(),
    finishedAt: now.toISOString(),
    status: 'completed',
    verification: { outcome: 'none' },
    terminationReason: 'ended',
    toolCalls: [{ name: 'Bash', action: 'python export.py', ok: false, errorMessage: 'SyntaxError: invalid syntax' }],
    retryCount: 0,
    maxRetries: 3,
  };
  const headers = `-H 'authorization: Bearer ${token}' -H 'content-type: application/json'`;
  return `curl -s ${origin}/v1/executions ${headers} \\\n  -d '${JSON.stringify(report)}'`;
}
