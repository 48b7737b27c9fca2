import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SettingsError } from './config.errors.js';
import { addEnvironmentFile } from './environment.js';
import { PLACES } from './places.js';

/**
 * Reads settings from the named file, or else from the first default file that exists. A variable of the environment
 * wins over the file. Returns the file that was read. Throws `SettingsError` if a named file cannot be read.
 */
export function loadSettingsFile(named?: string): string | undefined {
  const file = named === undefined ? PLACES.settingsFiles.find((path) => existsSync(path)) : resolve(named);
  if (file === undefined) return undefined;
  try {
    addEnvironmentFile(file);
    return file;
  } catch (error) {
    // Every error of node:fs has this type. Its message may quote the content.
    const reason = (error as NodeJS.ErrnoException).code ?? 'error';
    throw new SettingsError(`The settings file ${file} cannot be read (${reason}); name another one with --settings.`);
  }
}
