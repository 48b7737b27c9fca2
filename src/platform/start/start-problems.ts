/** What a message names. No value of a setting that may be a secret is among them. */
type Details<K extends string = string> = Readonly<Record<K, string>>;

const MOVE_AWAY = 'or move that folder away to begin with an empty one';

/**
 * Why a start is refused, each in one sentence with the way out. docs/troubleshoot.md has them all: a spec compares it
 * with this list.
 */
export const START_PROBLEMS = {
  'port.in_use': ({ port, host }: Details<'port' | 'host'>) =>
    `Port ${port} of ${host} is in use by another program: stop that one, or set GUILDBOOK_PORT to another port (0 chooses a free one).`,
  'port.in_use_by_guildbook': ({ port, host }: Details<'port' | 'host'>) =>
    `Port ${port} of ${host} is in use by another Guildbook: use that one, or set GUILDBOOK_PORT to another port (0 chooses a free one).`,
  'port.forbidden': ({ port }: Details<'port'>) =>
    `Port ${port} is reserved for the system: set GUILDBOOK_PORT to 1024 or more, and put a reverse proxy on the lower port.`,
  'address.unavailable': ({ host, reason }: Details<'host' | 'reason'>) =>
    `This machine has no address ${host} (${reason}): set GUILDBOOK_HOST to one of its own, such as 127.0.0.1, or to 0.0.0.0 for all.`,
  'folder.unwritable': ({ folder, reason, user, setting }: Details<'folder' | 'reason' | 'user' | 'setting'>) =>
    `The folder ${folder} cannot be written (${reason}): make it writable for the user ${user}, or change ${setting}.`,
  'folder.read_only': ({ folder, setting }: Details<'folder' | 'setting'>) =>
    `The folder ${folder} lies on a read-only file system: mount it writable, or change ${setting}.`,
  'folder.full': ({ folder, setting }: Details<'folder' | 'setting'>) =>
    `The disk of the folder ${folder} is full: free some space, or change ${setting} to a folder on another disk.`,
  'data.in_use': ({ folder }: Details<'folder'>) =>
    `${folder} is in use by another process, and the embedded database allows one: stop the other process, or set DATABASE_URL to share a PostgreSQL server.`,
  'data.unknown': ({ folder, found }: Details<'folder' | 'found'>) =>
    `The folder ${folder} holds other files than a database (${found}): set GUILDBOOK_DATA_DIR to an empty folder, or to one that Guildbook made.`,
  'data.other_version': ({ folder, found, wanted }: Details<'folder' | 'found' | 'wanted'>) =>
    `The folder ${folder} holds a database of PostgreSQL ${found}, and this Guildbook reads ${wanted}: start the version that wrote it and move its data with "guildbook backup", ${MOVE_AWAY}.`,
  'data.incomplete': ({ folder }: Details<'folder'>) =>
    `The folder ${folder} holds a part of a database, such as a first start that was cut off leaves behind: restore a backup, ${MOVE_AWAY}.`,
  'data.damaged': ({ folder, reason }: Details<'folder' | 'reason'>) =>
    `The database in ${folder} cannot be opened and is probably damaged (${reason}): restore a backup, ${MOVE_AWAY}.`,
  'database.unreachable': ({ server, reason }: Details<'server' | 'reason'>) =>
    `The PostgreSQL server ${server} does not answer (${reason}): start it, or correct the host and port in DATABASE_URL.`,
  'database.login_refused': ({ server }: Details<'server'>) =>
    `The PostgreSQL server ${server} refuses the login: correct the user and the password in DATABASE_URL.`,
  'database.missing': ({ server, database }: Details<'server' | 'database'>) =>
    `The PostgreSQL server ${server} has no database ${database}: create it, or correct the name at the end of DATABASE_URL.`,
  'database.too_old': ({ server, found }: Details<'server' | 'found'>) =>
    `The PostgreSQL server ${server} is version ${found}, and Guildbook needs 15 or later: upgrade it, or set DATABASE_URL to another server.`,
  'database.encoding': ({ database, found }: Details<'database' | 'found'>) =>
    `The database ${database} stores text as ${found}, and Guildbook needs UTF8: create another one with ENCODING 'UTF8' TEMPLATE template0, and name it in DATABASE_URL.`,
  'database.not_owned': ({ database, login }: Details<'database' | 'login'>) =>
    `The login ${login} may not create tables in the database ${database}: make it the owner (ALTER DATABASE … OWNER TO …), or use another login in DATABASE_URL.`,
  'database.refused': ({ server, reason }: Details<'server' | 'reason'>) =>
    `The PostgreSQL server ${server} refuses the connection (${reason}): correct DATABASE_URL, or the settings of that server.`,
  'migration.unreadable': ({ folder, reason }: Details<'folder' | 'reason'>) =>
    `The migrations in ${folder} cannot be read (${reason}), so the program is incomplete: install it again.`,
  'migration.locked': (_: Details<never>) =>
    'Another process has been migrating this database for over a minute: wait for it, then start again.',
  'migration.failed_earlier': ({ name }: Details<'name'>) =>
    `Migration ${name} failed earlier and may have left half of its changes: restore a backup, or repair the database and run "UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = '${name}'" in it.`,
  'migration.missing': ({ name }: Details<'name'>) =>
    `The database has migration ${name}, which this version does not know, because a newer Guildbook wrote it: start that version, or restore a backup from before it.`,
  'migration.edited': ({ name }: Details<'name'>) =>
    `Migration ${name} was edited after this database applied it, which happens between versions before the first release: start the version that wrote the database, or begin with an empty one (move the folder GUILDBOOK_DATA_DIR away, or change DATABASE_URL).`,
  'migration.pending': ({ names }: Details<'names'>) =>
    `The database lacks the migrations ${names}, and this start may not apply them: run "guildbook migrate" first.`,
  'migration.failed': ({ name, reason }: Details<'name' | 'reason'>) =>
    `Migration ${name} failed and was rolled back (${reason}): correct the cause and start again.`,
  'migration.failed_partly': ({ name, reason }: Details<'name' | 'reason'>) =>
    `Migration ${name} failed outside a transaction and may be applied in part (${reason}): restore a backup, or repair the database and run "UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = '${name}'" in it.`,
  'git.missing': ({ reason }: Details<'reason'>) =>
    `Guildbook needs git to publish skills, and it cannot be run (${reason}): install git, and make sure that PATH names its folder.`,
  'git.too_old': ({ found, wanted }: Details<'found' | 'wanted'>) =>
    `Guildbook needs git ${wanted} or later to publish skills, and this is ${found}: install a newer one, and make sure that PATH names its folder first.`,
  'key.unreadable': ({ file, reason }: Details<'file' | 'reason'>) =>
    `The key of the journal in ${file} cannot be read (${reason}): make the file readable for this user, or change GUILDBOOK_JOURNAL_KEY_FILE.`,
  'key.invalid': ({ file }: Details<'file'>) =>
    `${file} does not contain an Ed25519 private key in PEM format: restore the file from a backup, or change GUILDBOOK_JOURNAL_KEY_FILE.`,
  'key.other': ({ own, other, process }: Details<'own' | 'other' | 'process'>) =>
    `Another process of this database (${process}) signs the journal with the key ${other}, and this one has ${own}: give this process the same key (GUILDBOOK_JOURNAL_KEY_FILE or GUILDBOOK_JOURNAL_KEY), or stop the others and start again a minute later.`,
  'token.unwritable': ({ folder, reason }: Details<'folder' | 'reason'>) =>
    `The file for the administrator's one-time token cannot be written in ${folder} (${reason}): make the folder writable, or set GUILDBOOK_ADMIN_TOKEN.`,
} as const;

export type StartProblemCode = keyof typeof START_PROBLEMS;
export type StartProblemDetails<C extends StartProblemCode> = Parameters<(typeof START_PROBLEMS)[C]>[0];
