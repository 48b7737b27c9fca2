#!/usr/bin/env node
/** npm run package -- [--out <folder>] [--json]; --help describes it. */
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pack, writeBeside } from './setup/package.mjs';
import { prepare } from './setup/prepare.mjs';
import { StepFailed } from './setup/progress.mjs';
import { ROOT } from './setup/stamp.mjs';

const HELP = `npm run package -- [--out <folder>] [--json]

Builds the program and packs it as npm does: guildbook-<version>.tgz, with the bill of materials (CycloneDX) and
SHA256SUMS beside it. The same sources give the same bytes.

  --out <folder>  where the three files are written (dist-package); the folder is emptied first if it is the default
  --json          print only one line of JSON at the end: file, sha256, files, packedBytes, unpackedBytes`;

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

await prepare(['deps', 'client', 'build']);
const folder = resolve(ROOT, values.out ?? 'dist-package');
if (values.out === undefined) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
try {
  const packed = pack(folder);
  const beside = writeBeside(folder, packed);
  if (values.json) console.log(JSON.stringify({ ...packed, beside }));
  else {
    const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    const sizes = `${megabytes(packed.packedBytes)} packed, ${megabytes(packed.unpackedBytes)} unpacked`;
    console.log(`${packed.file}: ${packed.files} files, ${sizes}\nbeside it: ${beside.join(', ')}`);
  }
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(error.message);
  process.exit(1);
}
