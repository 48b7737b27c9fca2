import { randomInt, randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../base/canonical-json.js';
import { StartError } from '../start/start.errors.js';
import { START_PROBLEMS } from '../start/start-problems.js';

/** A unix socket path has room for 108 bytes on Linux and 104 on macOS, including the terminating zero. */
const MAX_SOCKET_PATH_BYTES = 103;
const ATTEMPTS = 4;

export class DirectoryInUseError extends StartError {
  constructor(readonly directory: string) {
    super('data.in_use', START_PROBLEMS['data.in_use']({ folder: directory }));
    this.name = 'DirectoryInUseError';
  }
}

/**
 * Locks an existing directory for this process and returns the function that unlocks it. Throws `DirectoryInUseError`
 * while another process holds the lock.
 *
 * PGlite takes no lock itself, and a second writer silently loses committed rows. A listening socket is a lock that
 * dies with its process, even after `kill -9`. Each process listens on a unique name beside the directory and then
 * looks for others. Of two processes that start at once, at least one sees the other, and the process that sees another
 * gives up. No name is used twice, so that removing a dead socket never removes the lock of a process that started in
 * between.
 */
export async function lockDirectory(dataDir: string, temporary = tmpdir()): Promise<() => Promise<void>> {
  const lockDir = await lockFolder(dataDir, temporary);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const name = socketName();
    const server = await listen(join(lockDir, name));
    if (!(await othersAlive(lockDir, name))) {
      server.unref();
      return () => close(server);
    }
    await close(server);
    // Two processes that both gave up must not retry at the same time.
    if (attempt < ATTEMPTS) await sleep(randomInt(20, 120));
  }
  throw new DirectoryInUseError(dataDir);
}

async function lockFolder(dataDir: string, temporary: string): Promise<string> {
  const path = await realpath(dataDir);
  const name = `guildbook-${sha256(path).slice(0, 32)}.lock`;
  const folders = [`${path}.lock`, join(temporary, name), join('/tmp', name)];
  const fits = (folder: string): boolean => Buffer.byteLength(join(folder, socketName())) <= MAX_SOCKET_PATH_BYTES;
  // `/tmp` is short enough wherever there are such sockets.
  const folder = folders.find(fits) ?? join('/tmp', name);
  await mkdir(folder, { recursive: true });
  return folder;
}

function socketName(): string {
  return randomUUID().slice(-12);
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    // Stays for the life of the server: a failed accept must not end the process.
    server.on('error', reject);
    server.listen(path, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

async function othersAlive(lockDir: string, own: string): Promise<boolean> {
  const others = (await readdir(lockDir)).filter((name) => name !== own).map((name) => join(lockDir, name));
  const alive = await Promise.all(others.map(isAlive));
  await Promise.all(others.filter((_, index) => alive[index] === false).map((path) => rm(path, { force: true })));
  return alive.includes(true);
}

/** Refused or missing means dead. Any other error may come from a live process that is too busy to respond. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}
