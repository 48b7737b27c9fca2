/** For Jest's option `--filter`, which requires a CommonJS module. */
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Imports and re-exports, except type-only ones, which do not exist at run time. */
const IMPORTED = /^(?:import|export)(?! type\b)[^;'"]*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
/** Packages that open a database. */
const DATABASE = /^(?:pg|@electric-sql\/pglite)(?:\/|$)/;

/** Keeps the specs that load no module which opens a database: no server, no built program. */
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

/** The paths of the files and the names of the packages that a file imports. */
function targetsOf(file) {
  if (!existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, named, loaded]) => {
    const target = named ?? loaded;
    return target.startsWith('.') ? join(dirname(file), target).replace(/\.js$/, '.ts') : target;
  });
}
