import { Option } from 'commander';
import type { Config } from '../../platform/config/config.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { Progress } from '../terminal/terminal.js';

/** Loads the settings and runs work on the server's machine. Failures become `CliError`s with their stable codes. */
export async function onMachine<T>(settings: string | undefined, work: (config: Config) => Promise<T>): Promise<T> {
  // Loaded on demand: the modules of the server take a second to load.
  const { loadConfig } = await import('../../platform/config/config.js');
  const { loadSettingsFile } = await import('../../platform/config/settings-file.js');
  try {
    loadSettingsFile(settings);
    return await work(loadConfig());
  } catch (error) {
    throw asCliError(error);
  }
}

function asCliError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.name === 'SettingsError') return new CliError(EXIT.usage, 'settings.invalid', error.message);
  if (error.name === 'DirectoryInUseError')
    return new CliError(
      EXIT.failed,
      'database.in_use',
      `${error.message} A running server is stopped with Ctrl-C or SIGTERM.`,
    );
  if (error.name === 'OperationError' || error.name === 'MigrationError')
    return new CliError(EXIT.failed, code, error.message);
  if (UNREACHABLE.test(code)) {
    const message = `The database of DATABASE_URL cannot be used (${code}). Check its address, and that the login and the database exist.`;
    return new CliError(EXIT.noResponse, 'database.unreachable', message);
  }
  if (code === LOCKED)
    return new CliError(
      EXIT.failed,
      'database.in_use',
      'Another process works on this database. Stop it, then try again.',
    );
  return error;
}

/** Codes of connections, wrong logins (28), missing databases (3D) and servers that cannot take connections. */
const UNREACHABLE =
  /^(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08...|28...|3D000|53300|57P0.)$/;
const LOCKED = '55P03';

/** Shows the rows of a long copy, on a terminal only. */
export function rowProgress(label: string): { update(table: string, rows: number): void; end(): void } {
  if (!commandProcess().stderr.isTTY) return { update: () => undefined, end: () => undefined };
  const progress = new Progress(label);
  let all = 0;
  let last = { table: '', rows: 0 };
  return {
    update: (table, rows) => {
      all += rows - (table === last.table ? last.rows : 0);
      last = { table, rows };
      progress.update(`${rows} rows of ${table}`);
    },
    end: () => progress.done(`${all} rows`),
  };
}

/** Options of the commands that work on the server's own machine, without HTTP. */
export interface MachineOptions {
  readonly settings?: string;
}

/** Not `--env-file`: Node.js takes an option of that name itself. */
export const settingsOption = (): Option =>
  new Option('--settings <file>', 'file of settings; variables of the environment win over it');
