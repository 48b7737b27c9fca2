import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { processEnvironment } from '../../src/platform/config/environment.js';
import { expectText } from './checks.js';
import { runProgram, tryProgram } from './programs.js';

const SCRIPT = join(PROJECT_ROOT, 'deploy', 'postgres', 'create-database.sh');
const PAGE = join(PROJECT_ROOT, 'docs', 'deploy.md');

/** A database as deploy/postgres/create-database.sh makes it. A second run has to refuse it. */
export async function documentedDatabase(server: string): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `guildbook_test_${randomBytes(6).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-password-'));
  const password = randomBytes(24).toString('hex');
  writeFileSync(join(folder, 'password'), `${password}\n`, { mode: 0o600 });
  const administrator = new URL(server);
  const environment = {
    ...processEnvironment(),
    PGHOST: administrator.hostname,
    PGPORT: administrator.port || '5432',
    PGUSER: decodeURIComponent(administrator.username) || 'postgres',
    PGPASSWORD: decodeURIComponent(administrator.password),
    DATABASE_NAME: name,
    DATABASE_PASSWORD_FILE: join(folder, 'password'),
  };
  try {
    runProgram('bash', [SCRIPT], { environment });
    expectText(tryProgram('bash', [SCRIPT], { environment }).output, 'exists', 'a second run');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const url = new URL(server);
  [url.pathname, url.username, url.password] = [`/${name}`, name, password];
  return {
    url: url.href,
    drop: async () => {
      const sql = [`DROP DATABASE ${name} WITH (FORCE)`, `DROP ROLE ${name}_worker`, `DROP ROLE ${name}`];
      runProgram('psql', ['--no-psqlrc', ...sql.flatMap((statement) => ['-c', statement]), server]);
    },
  };
}

/** The statements of docs/deploy.md that create the role, for another database and login. */
export function documentedRoleSql(database: string, login: string): string[] {
  const page = readFileSync(PAGE, 'utf8');
  const statements = /```sql\n(CREATE ROLE guildbook_worker[^`]+)```/.exec(page)?.[1]?.trim().split('\n') ?? [];
  if (statements.length === 0) throw new Error('docs/deploy.md has no SQL that creates the role');
  return statements.map((statement) =>
    statement.replaceAll('guildbook_worker', `${database}_worker`).replaceAll(/\bguildbook\b/g, login),
  );
}
