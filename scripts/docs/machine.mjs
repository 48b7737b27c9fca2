import { textOf } from './repository.mjs';

/** Traces of one machine. The patterns are written so that they do not match themselves. */
const TRACES = [
  { pattern: /(?<![\w./:-])\/work\/[\w.]/, what: 'a path of one machine' },
  { pattern: /\/tmp\/(plan|bash_jobs)\b/, what: 'a path of one machine' },
  { pattern: /(?<![\w])\.(library|mirror)\//, what: 'a path of one machine' },
  { pattern: /\bregistry\.(npmjs|yarnpkg|npmmirror)\.\w/, what: 'the host of a package registry' },
  { pattern: /\bnpm\.(pkg\.github|jsr)\.\w/, what: 'the host of a package registry' },
];

/** Lists committed files that contain a trace of one machine, one line for each. */
export function machineTraces(files) {
  const traces = [...TRACES, ...configuredRegistry()];
  return files.flatMap((file) => {
    const text = textOf(file);
    if (text === undefined) return [];
    return traces
      .filter(({ pattern }) => pattern.test(text))
      .map(({ pattern, what }) => `${file}:${lineOf(text, pattern)}: names ${what}`);
  });
}

/** A lock file without addresses installs from the registry that the reader uses. */
export function lockedAddresses(file) {
  const addresses = textOf(file)?.match(/"resolved": "(?!file:)/g) ?? [];
  if (addresses.length === 0) return [];
  const fix = 'set omit-lockfile-registry-resolved=true and run npm install';
  return [`${file}: ${addresses.length} packages name their download address; ${fix}`];
}

/** npm passes the address of its registry to the scripts that it runs. */
function configuredRegistry() {
  const registry = process.env.npm_config_registry;
  if (registry === undefined || !URL.canParse(registry)) return [];
  const host = new URL(registry).host.replace(/[.]/g, '\\.');
  return [{ pattern: new RegExp(`//${host}`), what: 'the host of the package registry' }];
}

function lineOf(text, pattern) {
  return text.slice(0, text.search(pattern)).split('\n').length;
}
