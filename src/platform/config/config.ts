import { dirname } from 'node:path';
import type { z } from 'zod';
import { CONSTANTS, type Constants } from './constants.js';
import { type Environment, NON_SERVER_VARIABLES, PROJECT_ROOT, processEnvironment } from './environment.js';
import { canBeFolder, foldersOverlap, isFolder } from './folders.js';
import { MEMORY_SETTINGS } from './memory-settings.js';
import { nearestName } from './nearest-name.js';
import { PROPOSER_SETTINGS } from './proposer-settings.js';
import { RECALL_SETTINGS } from './recall-settings.js';
import { REVIEW_SETTINGS } from './review-settings.js';
import { SERVER_SETTINGS } from './server-settings.js';
import type { Setting } from './setting.js';

export { PROJECT_ROOT };

/** Every setting of the server: its variable, what it may be, its default, its meaning and the reason to change it. */
export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...PROPOSER_SETTINGS,
  ...MEMORY_SETTINGS,
  ...RECALL_SETTINGS,
  ...REVIEW_SETTINGS,
} as const satisfies Record<string, Setting>;

type Settings = { readonly [K in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[K]['schema']> };

/** The settings, and the constants that no variable changes. */
export type Config = Settings & Constants;

/**
 * Reads the settings once. Throws one error that names every variable that is wrong or unknown, and never a value: it may
 * be a secret. `constants` are for tests and benchmarks.
 */
export function loadConfig(
  environment: Environment = processEnvironment(),
  constants: Partial<Constants> = {},
): Config {
  const problems = unknownVariables(environment);
  const entries = Object.entries<Setting>(SETTINGS).map(([name, { env, schema, allowed }]) => {
    const parsed = schema.safeParse(environment[env] || undefined);
    if (!parsed.success) problems.push(`${env}: must be ${allowed.replaceAll('`', '')}`);
    return [name, parsed.data];
  });
  // Every entry was parsed by the schema that its type is taken from.
  const settings = Object.fromEntries(entries) as Settings;
  problems.push(...missingDependencies(environment), ...folderProblems(settings));
  if (problems.length > 0) throw new Error(`Configuration is not valid:\n  ${problems.join('\n  ')}`);
  return { ...settings, ...CONSTANTS, ...constants };
}

/** A misspelt variable would leave its default in force without a word. */
function unknownVariables(environment: Environment): string[] {
  const known = Object.values<Setting>(SETTINGS).map(({ env }) => env);
  return Object.keys(environment)
    .filter((name) => name.startsWith('GUILDBOOK_') && !known.includes(name) && !NON_SERVER_VARIABLES.includes(name))
    .map((name) => `${name}: is no setting; the nearest one is ${nearestName(name, known)}`);
}

const REQUIRED_TOGETHER = [
  { of: 'oidcIssuer', needed: ['oidcClientId', 'oidcClientSecret', 'publicUrl'] },
  { of: 'embedderUrl', needed: ['embedderModel'] },
] as const;

function missingDependencies(environment: Environment): string[] {
  const isGiven = (name: keyof typeof SETTINGS) => (environment[SETTINGS[name].env] ?? '').trim() !== '';
  return REQUIRED_TOGETHER.filter(({ of }) => isGiven(of)).flatMap(({ of, needed }) =>
    needed.filter((name) => !isGiven(name)).map((name) => `${SETTINGS[name].env}: is needed with ${SETTINGS[of].env}`),
  );
}

/** A setting whose own value is wrong is undefined here, and named already. */
function folderProblems(settings: Partial<Settings>): string[] {
  const { skillsDir, skillMdDirectory: lessons, journalKeyFile: key } = settings;
  const problems = (['dataDir', 'skillsDir', 'skillMdDirectory'] as const)
    .filter((name) => !canBeFolder(settings[name] ?? PROJECT_ROOT))
    .map((name) => `${SETTINGS[name].env}: must be a folder, and there is a file`);
  if (key !== undefined && (isFolder(key) || !canBeFolder(dirname(key))))
    problems.push(`${SETTINGS.journalKeyFile.env}: must be a file in a folder`);
  // The skills repository holds what was approved: nothing else is written there.
  if (lessons && skillsDir && foldersOverlap(lessons, skillsDir))
    problems.push(`${SETTINGS.skillMdDirectory.env}: is, holds or lies in the skills repository`);
  return problems;
}
