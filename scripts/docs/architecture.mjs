import { existsSync, readFileSync } from 'node:fs';
import { APART_HOUSE, HOUSE } from '../boundaries/architecture.mjs';

const FOLDER_ROW = /^\| (\d+|–) \| `src\/([\w-]+)` \| ([^|]*) \| ([^|]*) \|$/;
/** A row of a path names a file and its functions; a row of a shape names a type and its file. */
const STEP_ROW = /^\| \d+ \| `(?<path>src\/[^`]+\.ts)` \| (?<names>[^|]*) \|/;
const SHAPE_ROW = /^\| (?<names>`\w+`) \| `(?<path>src\/[^`]+\.ts)` \|/;

/**
 * Lists where docs/architecture.md differs from boundaries/architecture.mjs or from the code. The table of folders must
 * name every folder and room in order; each row of a path or shape must name things that its file declares.
 */
export function architectureProblems(file, text) {
  const lines = text.split('\n');
  return [...checkFolders(file, lines), ...lines.flatMap((line, n) => checkStep(`${file}:${n + 1}`, line))];
}

function checkFolders(file, lines) {
  const rows = lines.flatMap((line, n) => {
    const [, number, folder, idea, rooms] = FOLDER_ROW.exec(line) ?? [];
    return folder === undefined
      ? []
      : [{ at: `${file}:${n + 1}`, idea: idea.trim(), row: rowOf(number, folder, rooms) }];
  });
  const wanted = [
    ...HOUSE.map(({ folder, rooms }, n) => rowOf(String(n + 1), folder, roomsOf(rooms))),
    ...APART_HOUSE.map(({ folder, rooms }) => rowOf('–', folder, roomsOf(rooms))),
  ];
  const differing = wanted.findIndex((row, n) => rows[n]?.row !== row);
  const at = differing < 0 ? rows[wanted.length]?.at : (rows[differing]?.at ?? file);
  return [
    ...(at === undefined ? [] : [`${at}: the table of folders should say ${wanted[differing] ?? 'nothing more'}`]),
    ...rows.filter(({ idea }) => idea === '').map((row) => `${row.at}: the folder has no idea`),
  ];
}

const roomsOf = (rooms) => (rooms.length === 0 ? '–' : rooms.join(' · '));
const rowOf = (number, folder, rooms) => `${number} src/${folder}: ${rooms.trim()}`;

function checkStep(at, line) {
  const { path, names } = (STEP_ROW.exec(line) ?? SHAPE_ROW.exec(line))?.groups ?? {};
  if (path === undefined) return [];
  if (!existsSync(path)) return [`${at}: ${path} does not exist`];
  const code = readFileSync(path, 'utf8');
  return [...names.matchAll(/`([\w.]+)`/g)]
    .map(([, name]) => name)
    .filter((name) => !name.split('.').every((part) => new RegExp(`\\b${part}\\b`).test(code)))
    .map((name) => `${at}: ${path} has no ${name}`);
}
