#!/usr/bin/env node
/**
 * node scripts/check-boundaries.mjs [source folder …]   (src without an argument)
 *
 * Holds the source to the architecture in boundaries/architecture.mjs: the order of the folders, the vocabulary of file
 * names, the reserved imports, and no cycles. Prints one line for each violation and ends with 1 when there is one.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  APART,
  APART_MAY_IMPORT,
  BROWSER_SCRIPTS,
  ORDER,
  PURE_FILES,
  RESERVED_IMPORTS,
  RESERVED_USES,
  STARTS_THE_APPLICATION,
  SUFFIXES,
  VAGUE_FOLDERS,
} from './boundaries/architecture.mjs';
import { findCycles } from './boundaries/cycles.mjs';
import { readSources } from './boundaries/source.mjs';

const given = process.argv.slice(2);
const violations = (given.length > 0 ? given : ['src']).flatMap(checkTree);
for (const violation of violations) console.error(violation);
console.log(violations.length === 0 ? 'boundaries hold' : `boundary violations: ${violations.length}`);
process.exit(violations.length === 0 ? 0 : 1);

function checkTree(folder) {
  if (!existsSync(folder)) return [`${folder}: there is no such folder`];
  const sources = readSources(resolve(folder));
  const graph = new Map(sources.map(({ file, imports }) => [file, imports.map(({ name }) => name)]));
  const circles = findCycles(graph).map(
    (cycle) => `${cycle[0]}: imports itself in a circle: ${[...cycle, cycle[0]].join(' -> ')}`,
  );
  return [...sources.flatMap(checkFile), ...circles].map((violation) => join(folder, violation));
}

function checkFile({ file, imports, uses }) {
  const atLine = imports.flatMap(({ name, line }) =>
    checkImport(file, name).map((reason) => `${file}:${line}: imports ${name}, but ${reason}`),
  );
  const inUse = uses
    .filter(({ name }) => !RESERVED_USES[name].for(file))
    .map(({ name, line }) => `${file}:${line}: ${name}: ${RESERVED_USES[name].because}`);
  return [...checkName(file).map((reason) => `${file}: ${reason}`), ...atLine, ...inUse];
}

/** The top folder; undefined for the wiring files directly in the source folder. */
function folderOf(file) {
  return file.includes('/') ? file.split('/')[0] : undefined;
}

function checkName(file) {
  const folders = file.split('/').slice(0, -1);
  const [name, ...suffixes] = file.split('/').at(-1).split('.');
  const reasons = [];
  if (folders[0] !== undefined && !ORDER.includes(folders[0]) && !APART.includes(folders[0]))
    reasons.push(`the folder "${folders[0]}" is not in the architecture`);
  const vague = folders.find((folder) => VAGUE_FOLDERS.includes(folder));
  if (vague !== undefined) reasons.push(`a folder named "${vague}" says nothing; name the idea`);
  if (/\.([cm]?jsx?|[cm]ts|tsx)$/.test(file) && !BROWSER_SCRIPTS.test(file))
    reasons.push('source files are .ts; this check does not see others');
  if (!file.endsWith('.ts')) return reasons;
  if (name === 'index') reasons.push('no barrels: import from the file itself');
  if (folders.length > 0) reasons.push(...checkSuffixes(suffixes.slice(0, -1)));
  return reasons;
}

/** One suffix of the vocabulary, or none, and `.spec` after it. */
function checkSuffixes(suffixes) {
  const unknown = suffixes
    .filter((suffix) => !SUFFIXES.includes(suffix))
    .map((suffix) => `".${suffix}" is not in the vocabulary of suffixes`);
  const kinds = suffixes.at(-1) === 'spec' ? suffixes.slice(0, -1) : suffixes;
  return kinds.length > 1 ? [...unknown, 'a file has one suffix'] : unknown;
}

function checkImport(file, target) {
  return [
    checkOrder(file, target),
    checkPure(file, target),
    ...RESERVED_IMPORTS.map((rule) => checkReserved(rule, file, target)),
  ].filter((reason) => reason !== undefined);
}

function checkOrder(file, target) {
  const from = folderOf(file);
  const to = folderOf(target);
  if (from === undefined || isPackage(target)) return undefined;
  if (target.startsWith('../'))
    return file.endsWith('.spec.ts') ? undefined : 'only specs reach outside the source folder';
  if (to === undefined)
    return STARTS_THE_APPLICATION.test(file) ? undefined : 'only the commands serve and demo start the application';
  if (to === from) return undefined;
  if (from in APART_MAY_IMPORT) {
    const { takes, says } = APART_MAY_IMPORT[from];
    return takes.some((take) => take(target)) ? undefined : says;
  }
  if (APART.includes(to)) return `${to} stands apart: nothing imports it`;
  return ORDER.indexOf(to) < ORDER.indexOf(from) ? undefined : `${to} is below ${from} in the order of the folders`;
}

function checkPure(file, target) {
  const isPure =
    folderOf(file) !== undefined && !PURE_FILES.exceptIn.includes(folderOf(file)) && /\/[^./]+\.ts$/.test(file);
  return isPure && PURE_FILES.target.test(target) ? PURE_FILES.because : undefined;
}

function checkReserved(rule, file, target) {
  return rule.target.test(target) && !rule.for(file, target) ? rule.because : undefined;
}

function isPackage(target) {
  return !target.startsWith('../') && !target.endsWith('.ts');
}
