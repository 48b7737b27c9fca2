import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes a ranking profile to a folder that goes with the process. Returns the file. */
export function profileFile(profile: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-profile-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'profile.json');
  writeFileSync(file, JSON.stringify({ version: 1, ...profile }));
  return file;
}
