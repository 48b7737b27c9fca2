/** What is known of the role of background work of one database. */
export interface WorkerRoleState {
  /** The name of the role: `<database>_worker`. */
  readonly role: string;
  /** The login of the server, which owns the tables. */
  readonly login: string;
  /** Why the role is not in force. */
  readonly problem: string;
}

/** The statements that an administrator of the database server runs once, one per line. */
export function workerRoleSql({ role, login, problem }: WorkerRoleState): readonly string[] {
  const grant = `GRANT ${quoted(role)} TO ${quoted(login)};`;
  if (problem.includes('bypasses row-level security'))
    return [`ALTER ROLE ${quoted(role)} NOSUPERUSER NOBYPASSRLS;`, grant];
  // The role exists, and the login is not among its members.
  if (problem.includes('permission denied to set role')) return [grant];
  return [`CREATE ROLE ${quoted(role)} NOLOGIN;`, grant];
}

/** Says that the role is not in force, what that means and what to run. */
export function workerRoleAdvice(state: WorkerRoleState): string {
  const lines = [
    `The role of background work is not in force: ${state.problem}.`,
    'Everything works without it; with it, wrong statements of background work cannot decide or publish.',
    'Let an administrator of the database server run this, then restart Guildbook:',
    ...workerRoleSql(state).map((statement) => `  ${statement}`),
  ];
  return lines.join('\n');
}

/** A name as PostgreSQL reads it back: in quotes only where it needs them. */
const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
