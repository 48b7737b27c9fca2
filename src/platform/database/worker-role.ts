import { Logger } from '@nestjs/common';
import pg from 'pg';
import { messageOf } from '../base/error-text.js';
import { CONNECTING } from './sql-client.js';
import type { WorkerRoleState } from './worker-role-advice.js';

/** Arbitrary lock number: of two processes that start at once, one installs the role after the other. */
const ADVISORY_LOCK = 72707370;
const CONNECTIONS = 4;

/** A pool whose connections all run under the worker role, or the reason why there is none. */
export type WorkerPool = { readonly pool: pg.Pool } | WorkerRoleState;

/**
 * Installs the worker role as far as the tables' owner may, and opens a pool under it. The migrations define the role's
 * name and privileges. The role is a start-up option, so that RESET ROLE returns to it and every connection has it.
 */
export async function openWorkerPool(owner: pg.Pool, url: string): Promise<WorkerPool> {
  let pool: pg.Pool | undefined;
  try {
    const role = await install(owner);
    pool = new pg.Pool({ connectionString: withRole(url, role), max: CONNECTIONS, ...CONNECTING });
    pool.on('error', (error) => new Logger('WorkerDatabase').warn(`an idle connection was lost: ${error.message}`));
    const { rows } = await pool.query<{ problem: string | null }>('SELECT worker_role_problem() AS "problem"');
    const problem = rows[0]?.problem ?? null;
    if (problem === null) return { pool };
    await pool.end();
    return { ...(await namesOf(owner)), problem };
  } catch (error) {
    await pool?.end();
    return { ...(await namesOf(owner)), problem: messageOf(error) };
  }
}

async function namesOf(owner: pg.Pool): Promise<Pick<WorkerRoleState, 'role' | 'login'>> {
  const { rows } = await owner.query<{ role: string; login: string }>(
    'SELECT worker_role()::text AS "role", current_user::text AS "login"',
  );
  return { role: rows[0]?.role ?? '', login: rows[0]?.login ?? '' };
}

async function install(owner: pg.Pool): Promise<string> {
  const client = await owner.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    await client.query('SELECT worker_role_install()');
    const { rows } = await client.query<{ role: string }>('SELECT worker_role()::text AS "role"');
    await client.query('COMMIT');
    return rows[0]?.role ?? '';
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** Returns the URL with the role among the server's start-up options, where spaces and backslashes are escaped. */
export function withRole(url: string, role: string): string {
  const address = new URL(url);
  const existing = address.searchParams.get('options');
  const option = `-c role=${role.replace(/[\\\s]/g, '\\$&')}`;
  address.searchParams.set('options', existing === null ? option : `${existing} ${option}`);
  return address.href;
}
