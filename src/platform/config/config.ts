import { dirname } from 'node:path';
import type { z } from 'zod';
import { SettingsError } from './config.errors.js';
import { CONSTANTS, type Constants } from './constants.js';
import { type Environment, NON_SERVER_VARIABLES, PROJECT_ROOT, processEnvironment } from './environment.js';
import { canBeFolder, folderOfAddress, foldersOverlap, isFolder } from './folders.js';
import { MEMORY_SETTINGS } from './memory-settings.js';
import { nearestName } from './nearest-name.js';
import { PLACES, type Places } from './places.js';
import { PROPOSER_SETTINGS } from './proposer-settings.js';
import { RECALL_SETTINGS } from './recall-settings.js';
import { REVIEW_SETTINGS } from './review-settings.js';
import { isSameAddress } from './same-address.js';
import { hasSecretFile, secretFileVariable, withSecretFiles } from './secret-files.js';
import { SERVER_SETTINGS } from './server-settings.js';
import type { Setting } from './setting.js';

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
  problems.push(...folderProblems(settings), ...verifierProblems(settings));
  if (problems.length > 0) throw new SettingsError(`Configuration is not valid:\n  ${problems.join('\n  ')}`);
  return { ...settings, ...CONSTANTS, ...constants };
}

/** The format of log lines before the settings are checked, and of the line that says what is wrong with them. */
export const logFormatBeforeStart = (environment: Environment = processEnvironment()): Config['logFormat'] =>
  SETTINGS.logFormat.schema.safeParse(environment[SETTINGS.logFormat.env] || undefined).data ?? 'json';

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
