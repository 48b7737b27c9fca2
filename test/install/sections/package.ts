import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import type { Checks } from '../checks.js';
import { expectSame, expectText, secondsSince } from '../checks.js';
import { type InstalledProgram, installedProgram } from '../installed-program.js';
import { filesOf, unexpectedFiles } from '../package-files.js';
import { finished } from '../packed-program.js';

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
    const { code, stdout, stderr } = await program.run(['demo', '--once'], { home });
    expectSame(code, 0, `exit code (${stdout}${stderr})`);
    checks.figure('demoSeconds', secondsSince(began));
    expectSame(readdirSync(home.cwd), [], 'current folder');
  });
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;
