import { existsSync } from 'node:fs';
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

const environment = processEnvironment();

/** The places of this process. */
export const PLACES: Places = IS_CHECKOUT
  ? placesOfCheckout(PROJECT_ROOT)
  : placesOfInstalled({
      platform: process.platform,
      environment,
      home: environment['HOME'] ?? environment['USERPROFILE'] ?? process.cwd(),
      currentFolder: process.cwd(),
    });
