import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseJson } from '../../../src/platform/base/parse-json.js';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { programPath } from '../../../src/platform/config/environment.js';
import type { Checks } from '../checks.js';
import { expectSame, expectText, secondsSince } from '../checks.js';
import { type InstalledProgram, installedProgram } from '../installed-program.js';
import { filesOf, unexpectedFiles } from '../package-files.js';
import { finished, installGlobally } from '../packed-program.js';

export const isQuick = true;

/** Packages that no user needs: tools of the project, and one that reports each installation to its maker. */
const UNWANTED = ['prisma', 'typescript', 'jest', '@biomejs', '@swc'];

export async function run(checks: Checks): Promise<void> {
  const began = performance.now();
  const program = await installedProgram();
  const { packed } = program;
  checks.figure('prepareSeconds', secondsSince(began));
  checks.figure('packedMb', megabytes(packed.packedBytes));
  checks.figure('unpackedMb', megabytes(packed.unpackedBytes));
  checks.figure('files', packed.files);
  await checkContents(checks, program);
  await checkDemo(checks, program);
  if (!checks.quick) await checkFromNothing(checks, program);
}

async function checkContents(checks: Checks, program: InstalledProgram): Promise<void> {
  const { packageFolder, packed } = program;
  await checks.check('the tarball has the files that run and nothing else', () => {
    const files = filesOf(packageFolder);
    expectSame(unexpectedFiles(packageFolder, files), [], 'unexpected files');
    expectSame(files.length, packed.files, 'number of files');
  });
  await checks.check('npm pack in the checkout gives the same bytes', async () => {
    const again = mkdtempSync(join(program.folder, 'again-'));
    await finished('npm', ['pack', '--pack-destination', again], { cwd: PROJECT_ROOT });
    const [name = ''] = readdirSync(again);
    const same = readFileSync(join(again, name)).equals(readFileSync(packed.file));
    expectSame([name, same], [`guildbook-${packed.version}.tgz`, true], 'name, and whether the bytes agree');
  });
  await checks.check('no tool of the project is installed', () => {
    const modules = join(packageFolder, 'node_modules');
    const found = UNWANTED.filter((name) => existsSync(join(modules, name)));
    expectSame(found, [], 'packages');
  });
  await checks.check('the package that reports each installation is replaced by a harmless one', () => {
    const manifest = readFileSync(join(packageFolder, 'node_modules', '@scarf', 'scarf', 'package.json'), 'utf8');
    expectText(manifest, '"name": "once"', 'package.json of @scarf/scarf');
  });
  await checks.check('the version is the same in the package, the bill of materials and the command', async () => {
    const bill = readFileSync(join(packageFolder, 'dist', 'sbom.cdx.json'), 'utf8');
    expectText(bill, `"bom-ref": "guildbook@${packed.version}"`, 'bill of materials');
    expectText(readFileSync(join(packageFolder, 'CHANGELOG.md'), 'utf8'), `## [${packed.version}]`, 'CHANGELOG.md');
    expectSame((await program.run(['--version'])).stdout, `${packed.version}\n`, 'guildbook --version');
  });
}

async function checkDemo(checks: Checks, program: InstalledProgram): Promise<void> {
  await checks.check('guildbook demo --once runs in an empty home and leaves the current folder empty', async () => {
    const home = program.newHome();
    const began = performance.now();
    const { code, stdout, stderr } = await program.run(['--json', 'demo', '--once'], { home });
    expectSame(code, 0, `exit code (${stdout}${stderr})`);
    checks.figure('demoSeconds', secondsSince(began));
    const last = parseJson(stdout.trim().split('\n').at(-1) ?? '');
    expectSame(isDelivered(last), true, 'whether the lesson was delivered at a failure');
    expectSame(readdirSync(home.cwd), [], 'current folder');
  });
}

const isDelivered = (last: unknown): boolean =>
  typeof last === 'object' && last !== null && 'delivered' in last && typeof last.delivered === 'string';

/** What a user without anything of npm waits for, and what the bill of materials says of it. */
async function checkFromNothing(checks: Checks, program: InstalledProgram): Promise<void> {
  const emptyCache = () => ({ npm_config_cache: mkdtempSync(join(program.folder, 'cache-')) });
  await checks.check('the tarball installs with an empty cache of npm', async () => {
    const prefix = mkdtempSync(join(program.folder, 'fresh-'));
    const began = performance.now();
    await installGlobally(program.tarball, prefix, emptyCache());
    checks.figure('installSeconds', secondsSince(began));
    checks.figure('installedMb', megabytes(bytesUnder(prefix)));
  });
  await checks.check('npx runs the demo from the tarball with an empty cache of npm', async () => {
    const { home, cwd, environment } = program.newHome();
    copyFileSync(program.tarball, join(cwd, basename(program.tarball)));
    const args = ['--yes', `./${basename(program.tarball)}`, 'demo', '--once'];
    const began = performance.now();
    const env = { ...environment, ...registry(), ...emptyCache(), PATH: programPath(), HOME: home };
    const { code, stdout, stderr } = await finished('npx', args, { cwd, env });
    expectSame(code, 0, `exit code (${stdout}${stderr})`);
    checks.figure('npxSeconds', secondsSince(began));
  });
  await checks.check('npm ci in the unpacked tarball installs only what the bill of materials lists', async () => {
    const folder = mkdtempSync(join(program.folder, 'exact-'));
    await finished('tar', ['-xzf', program.tarball, '-C', folder, '--strip-components=1']);
    const args = ['ci', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { code, stderr } = await finished('npm', args, { cwd: folder });
    expectSame(code, 0, `exit code (${stderr})`);
    const bill: { components: { 'bom-ref': string }[] } = JSON.parse(
      readFileSync(join(folder, 'dist', 'sbom.cdx.json'), 'utf8'),
    );
    const listed = new Set(bill.components.map((component) => component['bom-ref']));
    const lock: { packages: Record<string, { version?: string; name?: string }> } = JSON.parse(
      readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'),
    );
    const installed = Object.entries(lock.packages).map(
      ([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`,
    );
    checks.figure('exactPackages', installed.length);
    expectSame(
      installed.filter((one) => !listed.has(one)),
      [],
      'packages that the bill lacks',
    );
  });
}

/** The registry that this machine uses, which an empty home does not know. */
function registry(): Record<string, string> {
  const { stdout } = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' });
  return { npm_config_registry: stdout.trim() };
}

const bytesUnder = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((total, file) => total + (file.isFile() ? file.size : 0), 0);

const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;
