/** For `--filter` of Jest, which requires a CommonJS module. */
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Imports and re-exports, but for those of types alone, which are gone when a spec runs. */
const IMPORTED = /^(?:import|export)(?! type\b)[^;'"]*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
/** With these a database is opened. */
const DATABASE = /^(?:pg|@electric-sql\/pglite)(?:\/|$)/;

/** Of the specs that Jest found, those that load nothing which opens a database: no server, no built program. */
module.exports = (specs) => {
  const importsOf = new Map();
  const read = (file) => {
    if (!importsOf.has(file)) importsOf.set(file, targetsOf(file));
    return importsOf.get(file);
  };
  return Promise.resolve({ filtered: specs.filter((spec) => !reaches(spec, read)) });
};

function reaches(spec, read) {
  const seen = new Set([spec]);
  for (const file of seen) {
    for (const target of read(file)) {
      if (DATABASE.test(target)) return true;
      if (target.endsWith('.ts')) seen.add(target);
    }
  }
  return false;
}

/** Paths of the files that a file imports, and the names of packages. */
function targetsOf(file) {
  if (!existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, named, loaded]) => {
    const target = named ?? loaded;
    return target.startsWith('.') ? join(dirname(file), target).replace(/\.js$/, '.ts') : target;
  });
}
