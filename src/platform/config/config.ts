import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { SettingsError } from './config.errors.js';
import { CONSTANTS, type Constants } from './constants.js';
import { type Environment, NON_SERVER_VARIABLES, PROJECT_ROOT, processEnvironment } from './environment.js';
import { codeHost } from './git-remote.js';
import { MEMORY_SETTINGS } from './memory-settings.js';
import { nearestName } from './nearest-name.js';
import { PLACES, type Places } from './places.js';
import { PROPOSER_SETTINGS } from './proposer-settings.js';
import { RECALL_SETTINGS } from './recall-settings.js';
import { hasSecretFile, secretFileVariable, withSecretFiles } from './secret-files.js';
import { SERVER_SETTINGS } from './server-settings.js';
import { autoOr, cron, define, flag, fraction, integer, oneOf, type Setting } from './setting.js';

/** When lessons become proposals, and how many people decide. */
const REVIEW_SETTINGS = {
  evolverEnabled: define(
    'GUILDBOOK_EVOLVER_ENABLED',
    flag(true),
    'Whether cycles run by themselves, once a person can decide; they only propose, and can always be requested. Choose false if proposals should come on request only.',
  ),
  evolverCron: define(
    'GUILDBOOK_EVOLVER_CRON',
    autoOr(cron('0 */6 * * *')),
    'When cycles start, if executions arrived since the last one. With auto, once a minute passes without a report. Choose a cron expression (server time) if reviewers want proposals together.',
  ),
  evolverWindowDays: define(
    'GUILDBOOK_EVOLVER_WINDOW_DAYS',
    integer(30, 1, 365),
    'Days of executions that a cycle examines. Raise it for a fleet with few executions, lower it if tools change often.',
  ),
  minAgentsForPattern: define(
    'GUILDBOOK_MIN_AGENTS_FOR_PATTERN',
    autoOr(integer(3, 2, 1_000)),
    'Independent support that a failure needs before it is examined. With auto, three agents where ten or more report, three projects where four to nine do, else three sessions. Choose a number to ask for so many agents.',
  ),
  minOwnersForPattern: define(
    'GUILDBOOK_MIN_OWNERS_FOR_PATTERN',
    integer(1, 1, 1_000),
    'Distinct owners of those agents. Raise it in an organisation: with 2 or more, one owner cannot create evidence by registering more agents.',
  ),
  minConfidenceForProposal: define(
    'GUILDBOOK_MIN_CONFIDENCE_FOR_PROPOSAL',
    fraction(0.8),
    'Confidence from which a lesson is proposed; lessons below it are only counted. Raise it if reviewers reject too many proposals, lower it if cycles propose nothing.',
  ),
  maxProposalsPerCycle: define(
    'GUILDBOOK_MAX_PROPOSALS_PER_CYCLE',
    integer(10, 1, 100),
    'Maximum number of proposals of one cycle; further ones are only counted. Set it to what your reviewers can read between two cycles.',
  ),
  proposeSkippedChecks: define(
    'GUILDBOOK_PROPOSE_SKIPPED_CHECKS',
    flag(false),
    'Whether a failure that was only overcome by skipping a check, such as with --no-verify, is proposed, at critical risk. Choose true to discuss such habits in review.',
  ),
  rolloutPercent: define(
    'GUILDBOOK_ROLLOUT_PERCENT',
    percent(),
    'Percentage of agents that receive a newly approved skill over HTTP. Lower it to measure the effect of skills first. A clone of the repository has every skill at once.',
    'effect.md#stages',
  ),
  approvalQuorum: define(
    'GUILDBOOK_APPROVAL_QUORUM',
    integer(1, 1, 20),
    'Number of reviewers who must approve a proposal. Raise it if your policy requires two-person approval.',
    'review-rules.md#how-many-people-approve',
  ),
  approvalQuorumHighRisk: define(
    'GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK',
    integer(2, 1, 20),
    'Number of reviewers who must approve a proposal of high or critical risk. Set it to 1 if one person approves alone.',
    'review-rules.md#how-many-people-approve',
  ),
  proposalExpiryDays: define(
    'GUILDBOOK_PROPOSAL_EXPIRY_DAYS',
    integer(14, 1, 365),
    'Days until a pending proposal expires. Raise it if reviewers work through the queue less often.',
  ),
} as const;

export { PROJECT_ROOT };

/** Every setting of the server: variable, allowed values, default, meaning, and when to change it. */
export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...PROPOSER_SETTINGS,
  ...MEMORY_SETTINGS,
  ...RECALL_SETTINGS,
  ...REVIEW_SETTINGS,
} as const satisfies Record<string, Setting>;

type Settings = { readonly [K in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[K]['schema']> };

/** The settings together with the constants, which no variable changes. */
export type Config = Settings & Constants;

/**
 * Reads the settings, secret ones also from the file that `<NAME>_FILE` names. Throws one `SettingsError` that names
 * every invalid or unknown variable, and never a value, because it may be a secret. `constants` overrides constants in
 * tests and benchmarks.
 */
export function loadConfig(given: Environment = processEnvironment(), constants: Partial<Constants> = {}): Config {
  const { environment, problems: fileProblems } = withSecretFiles(given, Object.values<Setting>(SETTINGS));
  const problems = [...unknownVariables(given), ...fileProblems, ...exclusiveSettings(given)];
  const entries = Object.entries<Setting>(SETTINGS).map(([name, { env, schema, allowed }]) => {
    const parsed = schema.safeParse(environment[env] || undefined);
    if (!parsed.success) problems.push(`${env}: must be ${allowed.replaceAll('`', '')}`);
    return [name, parsed.data];
  });
  // Each entry was parsed by the schema from which its type is derived.
  const settings = Object.fromEntries(entries) as Settings;
  problems.push(...missingDependencies(environment), ...homelessProblems(environment));
  problems.push(...folderProblems(settings), ...verifierProblems(settings), ...pullRequestProblems(settings));
  if (problems.length > 0) throw new SettingsError(`Configuration is not valid:\n  ${problems.join('\n  ')}`);
  return { ...settings, ...CONSTANTS, ...constants };
}

/** The format of log lines before the settings are checked, and of the line that says what is wrong with them. */
export const logFormatBeforeStart = (environment: Environment = processEnvironment()): Config['logFormat'] =>
  SETTINGS.logFormat.schema.safeParse(environment[SETTINGS.logFormat.env] || undefined).data ?? 'auto';

/** Rejects unknown variables: with a misspelt name the default would stay in force unnoticed. */
function unknownVariables(environment: Environment): string[] {
  const known = Object.values<Setting>(SETTINGS).flatMap((setting) =>
    hasSecretFile(setting) ? [setting.env, secretFileVariable(setting)] : [setting.env],
  );
  return Object.keys(environment)
    .filter((name) => name.startsWith('GUILDBOOK_') && !known.includes(name) && !NON_SERVER_VARIABLES.includes(name))
    .map((name) => `${name}: unknown setting; did you mean ${nearestName(name, known)}`);
}

/** The current folder would be a wrong guess, and a different one at the next start. */
export function homelessProblems(
  environment: Environment,
  { isHomeless }: Pick<Places, 'isHomeless'> = PLACES,
): string[] {
  if (!isHomeless) return [];
  return [SETTINGS.dataDir, SETTINGS.skillsDir]
    .filter(({ env }) => !environment[env])
    .map(({ env }) => `${env}: required, because the user of this process has no home folder; or set HOME`);
}

/** One of the two would be ignored unnoticed. */
function exclusiveSettings(environment: Environment): string[] {
  const [value, file] = [SETTINGS.journalKey.env, SETTINGS.journalKeyFile.env];
  return environment[value] && environment[file] ? [`${file}: set this or ${value}, not both`] : [];
}

const REQUIRED_TOGETHER = [
  { of: 'oidcIssuer', needed: ['oidcClientId', 'oidcClientSecret', 'publicUrl'] },
  { of: 'embedderUrl', needed: ['embedderModel'] },
] as const;

function missingDependencies(environment: Environment): string[] {
  const isGiven = (name: keyof typeof SETTINGS) => (environment[SETTINGS[name].env] ?? '').trim() !== '';
  return REQUIRED_TOGETHER.filter(({ of }) => isGiven(of)).flatMap(({ of, needed }) =>
    needed.filter((name) => !isGiven(name)).map((name) => `${SETTINGS[name].env}: required with ${SETTINGS[of].env}`),
  );
}

/** The address of the Messages API if none is set. */
const MESSAGES_API = 'https://api.anthropic.com';

/**
 * A verifier is evidence beside what the proposer wrote. Another model's name at the proposer's address is the same
 * operator, account and perhaps model, so its agreement would prove nothing.
 */
function verifierProblems(settings: Partial<Settings>): string[] {
  const { verifierModel, verifierBaseUrl, anthropicApiKey, anthropicBaseUrl } = settings;
  const hasProposerModel = anthropicApiKey !== undefined || anthropicBaseUrl !== undefined;
  if (verifierModel === undefined || !hasProposerModel) return [];
  const proposer = anthropicBaseUrl ?? MESSAGES_API;
  if (!isSameAddress(verifierBaseUrl ?? proposer, proposer)) return [];
  return [
    `${SETTINGS.verifierBaseUrl.env}: must be at another address than the model that writes lessons, which ${SETTINGS.verifierModel.env} checks`,
  ];
}

/** Without them no pull request could be opened, which would show only after the first approval. */
function pullRequestProblems(settings: Partial<Settings>): string[] {
  const { skillsPullRequests: kind, skillsRemote: remote, skillsRemoteToken, skillsPullRequestToken } = settings;
  if (kind === undefined || kind === 'off') return [];
  const needs = `with ${SETTINGS.skillsPullRequests.env}`;
  if (remote === undefined) return [`${SETTINGS.skillsRemote.env}: required ${needs}`];
  const problems: string[] = [];
  if ((skillsPullRequestToken ?? skillsRemoteToken) === undefined)
    problems.push(`${SETTINGS.skillsPullRequestToken.env}: required ${needs}`);
  if (codeHost(kind, remote, settings.skillsPullRequestApi) === undefined)
    problems.push(`${SETTINGS.skillsRemote.env}: must name a host, an owner and a repository ${needs}`);
  return problems;
}

/** A setting with an invalid value is undefined here and already reported. */
function folderProblems(settings: Partial<Settings>): string[] {
  const { skillsDir, skillMdDirectory: lessons, journalKeyFile: key } = settings;
  const problems = (['dataDir', 'skillsDir', 'skillMdDirectory'] as const)
    .filter((name) => !canBeFolder(settings[name] ?? PROJECT_ROOT))
    .map((name) => `${SETTINGS[name].env}: must be a folder, but is a file`);
  if (key !== undefined && (isFolder(key) || !canBeFolder(dirname(key))))
    problems.push(`${SETTINGS.journalKeyFile.env}: must be a file in a folder`);
  const remote = settings.skillsRemote?.startsWith('file:') ? folderOfAddress(settings.skillsRemote) : undefined;
  if (remote && skillsDir && foldersOverlap(remote, skillsDir))
    problems.push(`${SETTINGS.skillsRemote.env}: must not be, contain or lie in the skills folder`);
  // The skills repository holds approved files only.
  if (lessons && skillsDir && foldersOverlap(lessons, skillsDir))
    problems.push(`${SETTINGS.skillMdDirectory.env}: must not be, contain or lie in the skills repository`);
  return problems;
}

/** True if two folders are the same or one lies in the other. Follows links; the folders need not exist. */
function foldersOverlap(one: string, other: string): boolean {
  const [a, b] = [resolveExisting(one), resolveExisting(other)];
  return [relative(a, b), relative(b, a)].some((path) => !/^\.\.(?:[\\/]|$)|^[\\/]|^[A-Za-z]:/.test(path));
}

/** True if the folder exists or can be created: neither the path nor a parent is a file. */
function canBeFolder(path: string): boolean {
  const found = kindOf(path);
  return found === undefined ? dirname(path) === path || canBeFolder(dirname(path)) : found === 'folder';
}

const isFolder = (path: string): boolean => kindOf(path) === 'folder';

/** The folder of a `file:` address; undefined if it names none. */
function folderOfAddress(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

function resolveExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(resolveExisting(dirname(path)), basename(path));
  }
}

function percent() {
  const { allowed, schema } = oneOf('100', ['5', '25', '100']);
  return { allowed, schema: schema.transform(Number) };
}

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns whether two addresses name the same server: host and port, whatever their spelling, scheme or path. It cannot
 * know that two names lead to one machine.
 */
export const isSameAddress = (one: string, other: string): boolean => serverOf(one) === serverOf(other);

function serverOf(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/\.$/, '');
  return `${LOOPBACK.test(host) ? 'loopback' : host}:${port || (protocol === 'http:' ? '80' : '443')}`;
}
