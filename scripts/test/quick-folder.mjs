#!/usr/bin/env node
/**
 * Where a run of the specs puts its temporary files: in shared memory where Linux has room for them. The specs make
 * thousands of small files, and on a disk their names and inodes are an eighth of the processor time.
 *
 * `node scripts/test/quick-folder.mjs` prints the place for the scripts of the shell.
 */
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SHARED_MEMORY = '/dev/shm';
/** A whole run needs less than a third of it. */
const ROOM = 6 * 1024 ** 3;
const NAME = /^gb-run-(\d+)-/;
/** Processes of another container have ids that are unknown here, but their runs use their folder. */
const UNUSED_MS = 3_600_000;

/** The folder for temporary files: `TMPDIR` if it is set, shared memory if it has room and runs programs. */
export function quickPlace(env = process.env, shared = SHARED_MEMORY, room = ROOM) {
  return env.TMPDIR === undefined && isQuick(shared, room) ? shared : tmpdir();
}

let made = 0;

/** Makes a folder for this process in the place, and removes those of processes that were killed. */
export function makeQuickFolder(place = quickPlace()) {
  for (const name of readdirSync(place)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const left = join(place, name);
    const changed = statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - changed > UNUSED_MS) rmSync(left, { recursive: true, force: true });
  }
  // Without random letters, which redaction takes for a secret in the messages that name a file.
  made += 1;
  const folder = join(place, `gb-run-${process.pid}-${made}`);
  mkdirSync(folder);
  // The server of the database has another user.
  chmodSync(folder, 0o755);
  return folder;
}

function isQuick(place, room) {
  try {
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < room) return false;
    const probe = mkdtempSync(join(place, `gb-run-${process.pid}-`));
    try {
      const program = join(probe, 'program');
      writeFileSync(program, '', { mode: 0o700 });
      // Refused where the file system is mounted without the right to run programs.
      accessSync(program, constants.X_OK);
      return true;
    } finally {
      rmSync(probe, { recursive: true });
    }
  } catch {
    return false;
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(quickPlace());
