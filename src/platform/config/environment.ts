import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, from src/ as well as from dist/. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process. */
export const processEnvironment = (): Environment => process.env;

/** Adds the variables of a file to those of this process. A variable that is set already keeps its value. */
export const addEnvironmentFile = (file: string): void => process.loadEnvFile(file);

/**
 * Variables with the GUILDBOOK_ prefix that are not settings of the server: those of the command line and of the tests.
 */
export const NON_SERVER_VARIABLES: readonly string[] = [
  ...['GUILDBOOK_SERVER', 'GUILDBOOK_TOKEN'],
  ...['GUILDBOOK_TEST_DATABASE', 'GUILDBOOK_TEST_CHROMIUM', 'GUILDBOOK_TEST_COUNTS'],
];

/**
 * The search path for programs. The git adapter gets it as an argument, so that nothing else of the environment reaches
 * git.
 */
export function programPath(): string {
  return process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
}

/** The folder in which the command line stores its sign-ins, and the server and token to use if no option names them. */
export function clientEnvironment(environment: Environment): { server?: string; token?: string; home: string } {
  const { GUILDBOOK_SERVER, GUILDBOOK_TOKEN, XDG_CONFIG_HOME, HOME, USERPROFILE } = environment;
  return {
    ...(GUILDBOOK_SERVER ? { server: GUILDBOOK_SERVER } : {}),
    ...(GUILDBOOK_TOKEN ? { token: GUILDBOOK_TOKEN } : {}),
    // A relative or empty value is invalid by the XDG specification: it would put credentials into the current folder.
    home:
      XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME)
        ? XDG_CONFIG_HOME
        : resolve(HOME ?? USERPROFILE ?? '.', '.config'),
  };
}

/** Where a user's programs keep settings and data on this machine, and the variables that they are started with. */
export function userFolders(environment: Environment): {
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly cache: string;
  readonly environment: Environment;
} {
  const home = resolve(environment['HOME'] ?? environment['USERPROFILE'] ?? '.');
  const folder = (name: string, otherwise: string): string => {
    const value = environment[name];
    return value !== undefined && isAbsolute(value) ? value : resolve(home, otherwise);
  };
  return {
    home,
    config: folder('XDG_CONFIG_HOME', '.config'),
    data: folder('XDG_DATA_HOME', '.local/share'),
    cache: folder('XDG_CACHE_HOME', '.cache'),
    environment,
  };
}

/** False in CI and for a terminal without cursor control: a line that is overwritten would be unreadable there. */
export function mayOverwriteLines({ CI, TERM }: Environment): boolean {
  return TERM !== 'dumb' && ['', '0', 'false'].includes(CI ?? '');
}

/**
 * The URL of the database for tests (`TEST_DATABASE_URL` with `GUILDBOOK_TEST_DATABASE=postgresql`); undefined means
 * embedded.
 */
export function testDatabaseUrl(): string | undefined {
  return process.env['GUILDBOOK_TEST_DATABASE'] === 'postgresql' ? process.env['TEST_DATABASE_URL'] : undefined;
}

/** Path of the Chromium that `npm run test:browser` found. */
export function testBrowser(): string {
  return process.env['GUILDBOOK_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
}

/** The PostgreSQL server on which benchmarks create their databases. */
export const benchServerUrl = (): string | undefined => process.env['TEST_DATABASE_URL'] || undefined;
