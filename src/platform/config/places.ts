import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { posix, win32 } from 'node:path';
import { type Environment, PROJECT_ROOT, processEnvironment } from './environment.js';

/** True in a clone of the project, where the sources lie; false in an installed package. */
export const IS_CHECKOUT = existsSync(posix.join(PROJECT_ROOT, 'src', 'main.ts'));

/** Where the program reads and stores its files unless a setting says otherwise. All paths are absolute. */
export interface Places {
  /** Folder against which relative paths in settings are resolved. */
  readonly base: string;
  /** Folder of the embedded database. The signing key and the first token lie beside it. */
  readonly dataDir: string;
  readonly skillsDir: string;
  /** Files of settings. The first that exists is read. */
  readonly settingsFiles: readonly string[];
  /** The system names no home folder, so that the defaults above are in none. */
  readonly isHomeless?: true;
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  readonly home: string;
  readonly currentFolder: string;
}

/** A checkout keeps everything in its folder, so that two checkouts do not share data. */
function placesOfCheckout(root: string): Places {
  return {
    base: root,
    dataDir: posix.join(root, '.data', 'database'),
    skillsDir: posix.join(root, 'skills'),
    settingsFiles: [posix.join(root, '.env')],
  };
}

/**
 * An installed program keeps its files where the operating system expects the data of a user: the XDG base directories
 * on Linux, Application Support on macOS, LOCALAPPDATA on Windows.
 */
export function placesOfInstalled({ platform, environment, home, currentFolder }: Machine): Places {
  const { join, isAbsolute } = platform === 'win32' ? win32 : posix;
  // The XDG specification says that a relative path is invalid and ignored.
  const folder = (name: string, fallback: string): string => {
    const given = environment[name];
    return given !== undefined && isAbsolute(given) ? given : fallback;
  };
  const foldersOf = (system: NodeJS.Platform): { data: string; settings: string } => {
    const config = join(folder('XDG_CONFIG_HOME', join(home, '.config')), 'guildbook');
    if (system === 'darwin')
      return { data: join(home, 'Library', 'Application Support', 'Guildbook'), settings: config };
    const local = join(folder('LOCALAPPDATA', join(home, 'AppData', 'Local')), 'Guildbook');
    if (system === 'win32') return { data: local, settings: local };
    return { data: join(folder('XDG_DATA_HOME', join(home, '.local', 'share')), 'guildbook'), settings: config };
  };
  const { data, settings } = foldersOf(platform);
  return {
    base: currentFolder,
    dataDir: join(data, 'database'),
    skillsDir: join(data, 'skills'),
    settingsFiles: [join(settings, 'server.env'), ...(platform === 'win32' ? [] : ['/etc/guildbook/server.env'])],
  };
}

/** The folder of the user; undefined if the system names none, as for a user id without a name in a container. */
function homeFolder(environment: Environment): string | undefined {
  try {
    return environment['HOME'] || environment['USERPROFILE'] || userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}

function placesOfProcess(): Places {
  if (IS_CHECKOUT) return placesOfCheckout(PROJECT_ROOT);
  const environment = processEnvironment();
  const home = homeFolder(environment);
  const machine = { platform: process.platform, environment, currentFolder: process.cwd() };
  if (home !== undefined) return placesOfInstalled({ ...machine, home });
  const places = placesOfInstalled({ ...machine, home: process.cwd() });
  return environment['XDG_DATA_HOME'] ? places : { ...places, isHomeless: true };
}

/** The places of this process. */
export const PLACES: Places = placesOfProcess();
