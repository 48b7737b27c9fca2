import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../setup/stamp.mjs';

const CACHE = join(ROOT, 'node_modules/.cache/guildbook-specs');
const OPTIONS = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: true,
  swcrc: false,
};

const require = createRequire(import.meta.url);
const VERSION = JSON.stringify([require('@swc/core/package.json').version, OPTIONS]);

/** Returns the JavaScript of a TypeScript file and the path of its source map. Caches both on disk. */
export function transpile(url) {
  const filename = fileURLToPath(url);
  const source = readFileSync(filename, 'utf8');
  const key = createHash('sha256').update(`${VERSION}\0${filename}\0${source}`).digest('hex').slice(0, 32);
  const [codeFile, mapFile] = [join(CACHE, `${key}.js`), join(CACHE, `${key}.map`)];
  const known = readIfThere(codeFile);
  if (known !== undefined) return { code: known, mapFile };
  const { code, map } = require('@swc/core').transformSync(source, { ...OPTIONS, filename, sourceFileName: filename });
  mkdirSync(CACHE, { recursive: true });
  // Write the code last, so that a cached file always has its map.
  replace(mapFile, map);
  replace(codeFile, code);
  return { code, mapFile };
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Atomic, because several workers may write the same file at once. */
function replace(file, content) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}
