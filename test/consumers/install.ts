import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Package {
  readonly name: string;
  /** The one that the figures in docs/measurements/consumers.md are of. */
  readonly version: string;
}

export interface Installed {
  readonly folder: string;
  readonly version: string;
}

const MINUTES = 60_000;

/**
 * Installs the package in a folder of the cache: this version or, if it is unavailable, the latest one. No script of a
 * package is run. Throws with the reason if neither is available.
 */
export function install(cache: string, { name, version }: Package): Installed {
  const reasons: string[] = [];
  for (const wanted of [version, 'latest']) {
    const folder = join(cache, `${name.replace('/', '+')}+${wanted}`);
    const manifest = join(folder, 'node_modules', name, 'package.json');
    if (!existsSync(manifest)) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
      const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
      const { status, stderr, error } = spawnSync('npm', ['install', ...options, `${name}@${wanted}`], {
        cwd: folder,
        encoding: 'utf8',
        timeout: 10 * MINUTES,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      if (status !== 0 || !existsSync(manifest)) {
        reasons.push(`${wanted}: ${firstLine(stderr) || error?.message || `npm ended with ${status}`}`);
        continue;
      }
    }
    return { folder, version: String(JSON.parse(readFileSync(manifest, 'utf8')).version) };
  }
  throw new Error(reasons.join('; '));
}

/**
 * A file of a package, or of the first installed package whose name starts with this one: programs have one package per
 * platform.
 */
export function installedFile({ folder }: Installed, packageName: string, ...path: string[]): string {
  const modules = join(folder, 'node_modules');
  const [scope = '', bare] = packageName.split('/');
  const parent = bare === undefined ? modules : join(modules, scope);
  const start = bare ?? scope;
  const candidates = [start, ...readdirSync(parent).filter((entry) => entry.startsWith(`${start}-`))];
  const found = candidates.map((entry) => join(parent, entry, ...path)).find((file) => existsSync(file));
  if (!found) throw new Error(`${packageName} has no ${path.join('/')} for this machine`);
  return found;
}

function firstLine(text: string | null): string {
  return (
    (text ?? '')
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.slice(0, 200) ?? ''
  );
}
