#!/usr/bin/env node
/**
 * node scripts/check-boundaries.mjs [source folder …]   (src without an argument)
 *
 * Checks the source against boundaries/architecture.mjs: the order of folders and rooms, the size of a room, the suffixes
 * of file names, the spec of each verb, the reserved imports, class chains, import cycles, and the weight of src in tokens.
 * Prints one line for each violation and exits with 1 if there is one. The last line is JSON: rooms, files of the largest
 * room, upward imports, tokens.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  APART,
  APART_HOUSE,
  APART_MAY_IMPORT,
  BROWSER_SCRIPTS,
  HOUSE,
  LONG_CLASS_CHAINS,
  MAX_FILES_OF_A_ROOM,
  MAX_TOKENS,
  ORDER,
  PURE_FILES,
  RESERVED_IMPORTS,
  RESERVED_USES,
  ROOT_SUFFIXES,
  STARTS_THE_APPLICATION,
  SUFFIXES,
  VAGUE_FOLDERS,
  VERB_ROOMS,
} from './boundaries/architecture.mjs';
import { findCycles } from './boundaries/cycles.mjs';
import { readSources } from './boundaries/source.mjs';
import { compareWeight } from './boundaries/weight.mjs';

const ROOMS_OF = new Map([...HOUSE, ...APART_HOUSE].map(({ folder, rooms }) => [folder, rooms]));

/** A file in a folder, without a suffix. */
const PLAIN_FILE = /\/[^./]+\.ts$/;

const folders = process.argv.slice(2);
const figures = { rooms: 0, largestRoom: 0, upward: 0, tokens: 0 };
const violations = (folders.length > 0 ? folders : ['src']).flatMap(checkTree);
// The ceiling is that of the whole source, which is checked without arguments.
const { violation: tooHeavy, note } = folders.length === 0 ? compareWeight(figures.tokens, MAX_TOKENS) : {};
if (tooHeavy !== undefined) violations.push(`src: ${tooHeavy}`);
if (note !== undefined) console.log(`note: src: ${note}`);
for (const violation of violations) console.error(violation);
console.log(violations.length === 0 ? 'boundaries hold' : `boundary violations: ${violations.length}`);
console.log(JSON.stringify(figures));
process.exit(violations.length === 0 ? 0 : 1);

function checkTree(folder) {
  if (!existsSync(folder)) return [`${folder}: the folder does not exist`];
  const sources = readSources(resolve(folder));
  const graph = new Map(sources.map(({ file, imports }) => [file, imports.map(({ name }) => name)]));
  const cycles = findCycles(graph).map((cycle) => `${cycle[0]}: import cycle: ${[...cycle, cycle[0]].join(' -> ')}`);
  const found = [
    ...sources.flatMap(checkFile),
    ...checkSizes(sources),
    ...checkVerbs([...graph.keys()]),
    ...checkClassChains(sources),
    ...cycles,
  ];
  figures.tokens += sources.reduce((sum, { file, tokens }) => sum + (isSpec(file) ? 0 : tokens), 0);
  return found.map((violation) => join(folder, violation));
}

function checkFile({ file, imports, uses }) {
  const atLine = imports.flatMap(({ name, line }) =>
    checkImport(file, name).map((reason) => `${file}:${line}: imports ${name}, but ${reason}`),
  );
  const inUse = uses
    .filter(({ name }) => !RESERVED_USES[name].allowedIn(file))
    .map(({ name, line }) => `${file}:${line}: ${name}: ${RESERVED_USES[name].reason}`);
  return [...checkName(file).map((reason) => `${file}: ${reason}`), ...atLine, ...inUse];
}

/** Returns the top folder, or undefined for the wiring files directly in the source folder. */
function folderOf(file) {
  return file.includes('/') ? file.split('/')[0] : undefined;
}

/**
 * Returns the room of a file: undefined for the wiring files directly in the source folder, '' at the root of a folder
 * with rooms, and the folder itself if it has no rooms.
 */
function roomOf(file) {
  const [folder, ...rest] = file.split('/');
  if (rest.length === 0) return undefined;
  if ((ROOMS_OF.get(folder) ?? []).length === 0) return folder;
  return rest.length === 1 ? '' : rest[0];
}

function isSpec(file) {
  return file.endsWith('.spec.ts');
}

/** Reports rooms that are too large, and updates the figures. */
function checkSizes(sources) {
  const counts = new Map();
  for (const { file } of sources) {
    const room = roomOf(file);
    if (!room || !file.endsWith('.ts') || isSpec(file)) continue;
    const path = room === folderOf(file) ? room : `${folderOf(file)}/${room}`;
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  figures.rooms += counts.size;
  figures.largestRoom = Math.max(figures.largestRoom, ...counts.values());
  return [...counts]
    .filter(([, count]) => count > MAX_FILES_OF_A_ROOM)
    .map(([path, count]) => `${path}: ${count} source files; a room has at most ${MAX_FILES_OF_A_ROOM}`);
}

/** A verb is a file without a suffix in a room of verbs. */
function isVerb(file) {
  return PLAIN_FILE.test(file) && VERB_ROOMS.rooms.includes(`${folderOf(file)}/${roomOf(file)}`);
}

/** Reports verbs without a spec. */
function checkVerbs(files) {
  const known = new Set(files);
  return files
    .filter((file) => isVerb(file) && !known.has(file.replace(/\.ts$/, '.spec.ts')))
    .map((file) => `${file}: ${VERB_ROOMS.needsSpec}`);
}

/** Reports classes that extend a class of the source which itself extends one. Specs may, for their doubles. */
function checkClassChains(sources) {
  const classes = sources
    .filter(({ file }) => !isSpec(file))
    .flatMap(({ file, classes: found }) => found.map((one) => ({ ...one, id: `${file}#${one.name}`, file })));
  const bases = new Map(classes.map(({ id, base }) => [id, base]));
  return classes
    .filter(({ id, base }) => bases.has(bases.get(base)) && !(id in LONG_CLASS_CHAINS))
    .map(({ file, name, base, line }) => {
      const chain = [name, ...[base, bases.get(base)].map((id) => id.split('#').at(-1))].join(' > ');
      return `${file}:${line}: class chain ${chain}: extend one class of src at most, or add a reason to LONG_CLASS_CHAINS`;
    });
}

function checkRoom(file, suffixes) {
  const rooms = ROOMS_OF.get(folderOf(file)) ?? [];
  const room = roomOf(file);
  if (rooms.length === 0) {
    return file.split('/').length > 2 ? [`the folder has no room "${file.split('/').at(1)}"`] : [];
  }
  if (room === '') {
    const belongs = ROOT_SUFFIXES.includes(suffixes.at(0)) || /^(?:cli\/main)\.ts$/.test(file);
    return belongs ? [] : ['at the root of a folder lie its modules and main controllers; choose a room'];
  }
  return rooms.includes(room) ? [] : [`the folder has no room "${room}"`];
}

function checkName(file) {
  const folders = file.split('/').slice(0, -1);
  const [name, ...suffixes] = file.split('/').at(-1).split('.');
  const reasons = [];
  if (folders[0] !== undefined && !ORDER.includes(folders[0]) && !APART.includes(folders[0]))
    reasons.push(`the folder "${folders[0]}" is not in the architecture`);
  const vague = folders.find((folder) => VAGUE_FOLDERS.includes(folder));
  if (vague !== undefined) reasons.push(`"${vague}" does not name an idea; choose another folder name`);
  if (/\.([cm]?jsx?|[cm]ts|tsx)$/.test(file) && !BROWSER_SCRIPTS.test(file))
    reasons.push('source files end in .ts; this check reads no others');
  if (!file.endsWith('.ts')) return reasons;
  if (name === 'index') reasons.push('no barrels: import from the file itself');
  if (folders.length > 0) reasons.push(...checkSuffixes(suffixes.slice(0, -1)));
  if (reasons.length === 0 && folders.length > 0) reasons.push(...checkRoom(file, suffixes.slice(0, -1)));
  return reasons;
}

/** A file has at most one suffix of the vocabulary, and `.spec` after it. */
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
    checkPlain(file, target),
    ...RESERVED_IMPORTS.map((rule) => checkReserved(rule, file, target)),
  ].filter((reason) => reason !== undefined);
}

function checkOrder(file, target) {
  const from = folderOf(file);
  const to = folderOf(target);
  if (from === undefined || isPackage(target)) return undefined;
  if (target.startsWith('../')) return isSpec(file) ? undefined : 'only specs reach outside the source folder';
  if (to === undefined)
    return STARTS_THE_APPLICATION.test(file) ? undefined : 'only the commands in cli/machine start the application';
  if (to === from) return checkRoomOrder(file, target);
  if (from in APART_MAY_IMPORT) {
    const { allows, reason } = APART_MAY_IMPORT[from];
    return allows.some((isAllowed) => isAllowed(target)) ? undefined : reason;
  }
  if (APART.includes(to)) return `${to} stands apart: nothing imports it`;
  if (ORDER.indexOf(to) < ORDER.indexOf(from)) return undefined;
  figures.upward += 1;
  return `${to} is below ${from} in the order of the folders`;
}

/** Checks the order of rooms within a folder. A spec may import any room of its folder. */
function checkRoomOrder(file, target) {
  const rooms = ROOMS_OF.get(folderOf(file)) ?? [];
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to || from === '' || isSpec(file)) return undefined;
  if (to !== '' && rooms.indexOf(to) < rooms.indexOf(from)) return undefined;
  figures.upward += 1;
  return to === ''
    ? 'the root of a folder wires its rooms: no room imports it'
    : `${to} is below ${from} in the order of the rooms`;
}

/** A file without a suffix is pure, or a verb in a room of verbs. */
function checkPlain(file, target) {
  if (folderOf(file) === undefined || PURE_FILES.exceptIn.includes(folderOf(file)) || !PLAIN_FILE.test(file))
    return undefined;
  const rule = isVerb(file) ? VERB_ROOMS : PURE_FILES;
  return rule.target.test(target) ? rule.reason : undefined;
}

function checkReserved(rule, file, target) {
  return rule.target.test(target) && !rule.allowedIn(file, target) ? rule.reason : undefined;
}

function isPackage(target) {
  return !target.startsWith('../') && !target.endsWith('.ts');
}
