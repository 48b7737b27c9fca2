import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ROOT } from '../../setup/stamp.mjs';
import { transpile } from './transpile.mjs';

const OURS = pathToFileURL(ROOT).href;
const GLOBALS = new URL('globals.mjs', import.meta.url).href;

let sourceMaps;

/** Hooks for Node's module loader: they transpile TypeScript and replace `@jest/globals`. */
export function initialize({ port }) {
  sourceMaps = port;
}

export function resolve(specifier, context, nextResolve) {
  if (specifier === '@jest/globals') return { url: GLOBALS, format: 'module', shortCircuit: true };
  const typescript = typescriptFile(specifier, context.parentURL);
  return typescript === undefined
    ? nextResolve(specifier, context)
    : { url: typescript, format: 'module', shortCircuit: true };
}

export function load(url, context, nextLoad) {
  if (!isOurTypescript(url)) return nextLoad(url, context);
  const { code, mapFile } = transpile(withoutQuery(url));
  sourceMaps?.postMessage({ url, mapFile });
  return { format: 'module', source: code, shortCircuit: true };
}

/** Maps an import that ends in `.js` to our .ts file. Keeps the query, which names the run in watch mode. */
function typescriptFile(specifier, parent) {
  if (isOurTypescript(specifier)) return specifier;
  if (parent === undefined || !isOurTypescript(parent) || !/^\.{1,2}\/.*\.js$/.test(specifier)) return undefined;
  const url = new URL(specifier.replace(/\.js$/, '.ts'), parent);
  if (!existsSync(fileURLToPath(url))) return undefined;
  url.search = new URL(parent).search;
  return url.href;
}

const withoutQuery = (url) => url.replace(/\?.*$/, '');

function isOurTypescript(url) {
  return url.startsWith(OURS) && withoutQuery(url).endsWith('.ts') && !url.includes('/node_modules/');
}
