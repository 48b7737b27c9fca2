import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SettingsError } from './config.errors.js';
import { processEnvironment } from './environment.js';
import { loadSettingsFile } from './settings-file.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-settings-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a file of settings', () => {
  it('sets what the environment leaves unset, and changes nothing that it sets', async () => {
    const file = join(folder, 'server.env');
    const path = processEnvironment()['PATH'];
    // Not a setting, so that the specs of other files do not meet it.
    await writeFile(file, 'SETTINGS_FILE_SPEC=from the file\nPATH=/nowhere\n');
    expect(loadSettingsFile(file)).toBe(file);
    expect(processEnvironment()).toMatchObject({ SETTINGS_FILE_SPEC: 'from the file', PATH: path });
  });

  it('is refused by name if it was named and cannot be read', () => {
    const missing = join(folder, 'missing.env');
    expect(() => loadSettingsFile(missing)).toThrow(SettingsError);
    expect(() => loadSettingsFile(missing)).toThrow(`The settings file ${missing} cannot be read (ENOENT)`);
  });
});
