import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, seen from src/ and from dist/ alike. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process. */
export const processEnvironment = (): Environment => process.env;

/** Takes variables that are not set from the project's `.env`, when there is one. */
export function loadEnvironmentFile(): void {
  const file = join(PROJECT_ROOT, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
}

/** Variables with our prefix that are no settings of the server: of the command line, and of the tests. */
export const NON_SERVER_VARIABLES: readonly string[] = [
  ...['GUILDBOOK_SERVER', 'GUILDBOOK_TOKEN'],
  ...['GUILDBOOK_TEST_DATABASE', 'GUILDBOOK_TEST_CHROMIUM', 'GUILDBOOK_TEST_COUNTS'],
];

/** The search path for programs, handed to the git adapter so that nothing else of the environment reaches git. */
export function programPath(): string {
  return process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
}

/** Where the command line keeps its sign-in, and which server it talks to when no option says so. */
export function clientEnvironment(): { server?: string; token?: string; home: string } {
  const { GUILDBOOK_SERVER, GUILDBOOK_TOKEN, XDG_CONFIG_HOME, HOME, USERPROFILE } = process.env;
  return {
    ...(GUILDBOOK_SERVER ? { server: GUILDBOOK_SERVER } : {}),
    ...(GUILDBOOK_TOKEN ? { token: GUILDBOOK_TOKEN } : {}),
    home: XDG_CONFIG_HOME ?? resolve(HOME ?? USERPROFILE ?? '.', '.config'),
  };
}

/** Which database the tests run on (`TEST_DATABASE_URL` with `GUILDBOOK_TEST_DATABASE=postgresql`). */
export function testDatabaseUrl(): string | undefined {
  return process.env['GUILDBOOK_TEST_DATABASE'] === 'postgresql' ? process.env['TEST_DATABASE_URL'] : undefined;
}

/** The Chromium that `npm run test:browser` found. */
export function testBrowser(): string {
  return process.env['GUILDBOOK_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
}

/** The PostgreSQL server on which benchmarks make databases of their own. */
export const benchServerUrl = (): string | undefined => process.env['TEST_DATABASE_URL'] || undefined;
