import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from './dependencies.mjs';
import { StepFailed } from './progress.mjs';
import { ROOT } from './stamp.mjs';

/** Packs what was built into the folder, as `npm pack` does. Throws `StepFailed` with npm's output. */
export function pack(folder) {
  const [command, ...first] = npmCommand();
  const args = [...first, 'pack', '--json', '--pack-destination', folder];
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 });
  if (status !== 0) throw new StepFailed(`The program could not be packed:\n${stderr}`);
  const [{ filename, size, unpackedSize, files, version }] = JSON.parse(stdout);
  const file = join(folder, filename);
  return { file, version, sha256: sha256Of(file), files: files.length, packedBytes: size, unpackedBytes: unpackedSize };
}

/** Writes the bill of materials and the checksums of it and the tarball. Returns their names. */
export function writeBeside(folder, { file, version }) {
  const bill = `guildbook-${version}.cdx.json`;
  copyFileSync(join(ROOT, 'dist', 'sbom.cdx.json'), join(folder, bill));
  const names = [bill, file.slice(folder.length + 1)];
  const sums = names.map((name) => `${sha256Of(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return [bill, 'SHA256SUMS'];
}

function sha256Of(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
