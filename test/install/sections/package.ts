import type { Checks } from '../checks.js';
import { expectSame, secondsSince } from '../checks.js';
import { installedProgram } from '../installed-program.js';

export const isQuick = true;

export async function run(checks: Checks): Promise<void> {
  const began = performance.now();
  const program = await installedProgram();
  checks.figure('prepareSeconds', secondsSince(began));
  checks.figure('packedMb', megabytes(program.packed.packedBytes));
  checks.figure('unpackedMb', megabytes(program.packed.unpackedBytes));
  checks.figure('files', program.packed.files);
  await checks.check('guildbook --version prints the version of the package', async () => {
    const { stdout } = await program.run(['--version']);
    expectSame(stdout, `${program.packed.version}\n`, 'output');
  });
  await checks.check('guildbook demo --once runs in an empty home', async () => {
    const { code, stdout, stderr } = await program.run(['demo', '--once']);
    expectSame(code, 0, `exit code (${stdout}${stderr})`);
  });
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;
