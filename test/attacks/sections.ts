import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Section } from './attack.js';

const FOLDER = fileURLToPath(new URL('./sections', import.meta.url));

/** Every section, by name of its file: each file of the folder exports one as `section`. */
export async function allSections(): Promise<Section[]> {
  const files = readdirSync(FOLDER).sort();
  return Promise.all(files.map(async (file): Promise<Section> => (await import(`./sections/${file}`)).section));
}
