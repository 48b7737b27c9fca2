import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** SHA-256 over names and contents of files and folders (relative to the root), as 64 hex digits. */
export function digest(paths, isWanted = () => true) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesUnder).filter(isWanted).sort()) {
    const content = readFileSync(join(ROOT, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Relative paths of a file, or of all files in a folder; empty if the path does not exist. */
export function filesUnder(path) {
  const absolute = join(ROOT, path);
  if (!existsSync(absolute)) return [];
  if (!statSync(absolute).isDirectory()) return [path];
  return readdirSync(absolute).flatMap((name) => filesUnder(`${path}/${name}`));
}

export function hasStamp(file, value) {
  const path = join(ROOT, file);
  return existsSync(path) && readFileSync(path, 'utf8') === value;
}

/** Call it last in a step: an interrupted run leaves no stamp and starts again. */
export function writeStamp(file, value) {
  writeFileSync(join(ROOT, file), value);
}
