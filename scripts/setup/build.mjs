import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from './progress.mjs';
import { writeSbom } from './sbom.mjs';
import { digest, filesUnder, hasStamp, ROOT, writeStamp } from './stamp.mjs';

const STAMP = 'dist/.guildbook-build';
const INPUTS = [
  'src',
  'prisma',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'package.json',
  'npm-shrinkwrap.json',
];
const COMPILER = 'node_modules/typescript-native/bin/tsc';

/**
 * Compiles src/ to dist/, copies the templates and writes the bill of materials. Same output as `nest build`, with the
 * native compiler, in a second.
 */
export async function build() {
  const inputs = digest(INPUTS, (file) => !isGenerated(file) && !file.endsWith('.spec.ts'));
  if (hasStamp(STAMP, inputs)) return;
  // Compiled files whose source is gone must not remain, or they could be started.
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  const args = [join(ROOT, COMPILER), '-p', 'tsconfig.build.json'];
  await runQuietly('compiling', process.execPath, args, { cwd: ROOT });
  for (const file of filesUnder('src').filter((path) => !path.endsWith('.ts') && !isGenerated(path)))
    cpSync(join(ROOT, file), join(ROOT, file.replace(/^src\//, 'dist/')));
  writeSbom('dist/sbom.cdx.json');
  writeStamp(STAMP, inputs);
}

function isGenerated(file) {
  return file.startsWith('src/platform/generated/');
}
