import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { type Checks, expectSame, expectText, secondsSince } from '../checks.js';
import { tryContainerEngine } from '../container-engine.js';
import { type InstalledProgram, installedProgram } from '../installed-program.js';
import { findProgram, runProgram, tryProgram } from '../programs.js';
import { RootfsServer } from '../rootfs-server.js';

const DEPLOY = join(PROJECT_ROOT, 'deploy');
const FLEET = join(PROJECT_ROOT, 'examples', 'sample-fleet');
const CACHE = join(tmpdir(), 'guildbook-rootfs');
/** As TimeoutStopSec of the unit and stop_grace_period of the compose file. */
const STOP_SECONDS = 60;
const TERMINATED = 128 + 15;

const Readiness = z.object({ status: z.string(), database: z.string() });
const Image = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string()]);
const Command = z.array(z.string());

export const isQuick = false;

/** Builds the root filesystem of the image and runs it as a container would. */
export async function run(checks: Checks): Promise<void> {
  await tryContainerEngine(checks);
  checks.skip('a Kubernetes cluster', 'no cluster on this machine');
  const missing = ['debootstrap', 'unshare', 'nsenter', 'setpriv'].filter((name) => findProgram(name) === undefined);
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return checks.skip('the root filesystem', 'needs root on Linux');
  if (missing.length > 0) return checks.skip('the root filesystem', `needs ${missing.join(', ')}`);

  const program = await installedProgram();
  const began = performance.now();
  const image = await checks.check('the Containerfile gives a root filesystem', () => buildOnce(program.tarball));
  checks.figure('buildSeconds', secondsSince(began));
  if (image === undefined) return;
  checks.figure('rootMegabytes', megabytes(join(image, 'root')));
  const volume = mkdtempSync(join(tmpdir(), 'guildbook-volume-'));
  const server = new RootfsServer(image, volume);
  try {
    await runContainer(checks, program, server);
  } finally {
    await server.discard();
    rmSync(volume, { recursive: true, force: true });
  }
}

async function runContainer(checks: Checks, program: InstalledProgram, server: RootfsServer): Promise<void> {
  const before = listing(join(server.image, 'root'));
  const started = await checks.check(
    'it starts with a read-only root, and the image finds itself healthy',
    async () => {
      await server.start();
      await expectHealthy(server);
      return true;
    },
  );
  if (started === undefined) return;
  await checks.check('no process is root or has a capability, and tini is process 1', () => expectNoPrivilege(server));
  await checks.check('it runs Node.js 24', () =>
    expectText(server.execute(['node', '--version']).output, /^v24\./, 'the version'),
  );
  await checks.check('only the volume and /tmp can be written', () => expectReadOnly(server));
  const home = program.newHome();
  const guildbook = async (...args: string[]) => {
    const { code, stdout, stderr } = await program.run(['--server', server.url, ...args], { home });
    if (code !== 0) throw new Error(`guildbook ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  };
  await checks.check("the file's token signs in the administrator", async () => {
    const input = readFileSync(join(server.volume, 'admin-token'), 'utf8');
    const { code, stderr } = await program.run(['--server', server.url, 'login', '--token', '-'], { home, input });
    if (code !== 0) throw new Error(stderr);
  });
  await checks.check('it takes the sample fleet', () => guildbook('import', FLEET));
  const agents = await checks.check('it knows the agents', () => guildbook('agents', 'list'));
  await checks.check('the children of git are reaped', () => expectNoZombie(server));
  await checks.check(`SIGTERM to process 1 ends it in ${STOP_SECONDS} seconds`, async () => {
    const { status, seconds } = await server.stop();
    checks.figure('stopSeconds', seconds);
    expectSame(status, TERMINATED, 'the exit status');
    expectText(server.log, 'stopped', 'the log');
    if (seconds > STOP_SECONDS) throw new Error(`it took ${seconds} seconds`);
  });
  await checks.check('a second start has the data, and an intact journal', async () => {
    await server.start();
    expectSame(await guildbook('agents', 'list'), agents, 'the agents');
    await guildbook('journal', 'verify');
    await server.stop();
  });
  await checks.check('no file of the root filesystem changed', () =>
    expectSame(listing(join(server.image, 'root')), before, 'the files'),
  );
}

/** Builds again only if the package, the Containerfile or the script changed. Debian and Node.js are kept between builds. */
function buildOnce(tarball: string): string {
  const hash = createHash('sha256');
  for (const file of [tarball, join(DEPLOY, 'Containerfile'), join(DEPLOY, 'rootfs.sh')])
    hash.update(readFileSync(file));
  const image = join(CACHE, hash.digest('hex').slice(0, 16));
  if (existsSync(join(image, 'root'))) return image;
  mkdirSync(CACHE, { recursive: true });
  rmSync(image, { recursive: true, force: true });
  runProgram(join(DEPLOY, 'rootfs.sh'), ['build', tarball, image, join(CACHE, 'images')]);
  return image;
}

async function expectHealthy(server: RootfsServer): Promise<void> {
  const { status } = await fetch(`${server.url}/healthz`);
  expectSame(status, 200, '/healthz');
  const ready = Readiness.parse(await (await fetch(`${server.url}/readyz`)).json());
  expectSame(ready, { status: 'ready', database: 'embedded' }, '/readyz');
  const [, , , , healthcheck] = Image.parse(readFileSync(join(server.image, 'image'), 'utf8').trimEnd().split('\n'));
  const command = Command.parse(JSON.parse(healthcheck));
  expectSame(server.execute(command).status, 0, 'the health check');
  const elsewhere = server.execute(['env', 'GUILDBOOK_PORT=1', ...command]);
  expectSame(elsewhere.status, 1, 'the health check of a port where nothing listens');
}

function expectNoPrivilege(server: RootfsServer): void {
  const processes = server.processes();
  expectSame(processes[0]?.name, 'tini', 'process 1');
  if (processes.length < 2) throw new Error('the server is missing');
  for (const { name, uid, capabilities, noNewPrivileges } of processes) {
    expectSame(uid.split(/\s+/), ['10001', '10001', '10001', '10001'], `the user of ${name}`);
    expectText(capabilities, /^[0 ]+$/, `the capabilities of ${name}`);
    expectSame(noNewPrivileges, '1', `no new privileges of ${name}`);
  }
}

function expectReadOnly(server: RootfsServer): void {
  for (const asRoot of [false, true])
    for (const folder of [
      '/',
      '/etc',
      '/usr/local/bin',
      '/opt/guildbook',
      '/var',
      '/var/lib',
      '/root',
      '/dev',
      '/run',
    ]) {
      const { status, output } = server.execute(['touch', join(folder, 'written')], { asRoot });
      if (status === 0) throw new Error(`${folder} can be written`);
      if (asRoot) expectText(output, 'Read-only file system', `a write to ${folder} as root`);
    }
  for (const folder of ['/tmp', '/var/lib/guildbook']) {
    const file = join(folder, 'written');
    expectSame(server.execute(['sh', '-c', `echo text > ${file} && rm ${file}`]).status, 0, `a write to ${folder}`);
  }
}

/** A child that has ended stays a zombie for a moment, until its parent asks for it. */
async function expectNoZombie(server: RootfsServer): Promise<void> {
  const zombies = () => server.processes().filter(({ state }) => state.startsWith('Z'));
  for (let attempt = 0; attempt < 20 && zombies().length > 0; attempt += 1) await sleep(250);
  expectSame(zombies(), [], 'the zombies');
}

/** A hash of the names, sizes, owners, modes and times of all files. */
function listing(root: string): string {
  const found = runProgram('find', [root, '-xdev', '-printf', '%P %y %s %U %G %m %T@ %l\n']);
  return createHash('sha256').update(found.split('\n').sort().join('\n')).digest('hex');
}

function megabytes(folder: string): number {
  return Number.parseInt(tryProgram('du', ['-sm', folder]).stdout, 10);
}
