import { resolve } from 'node:path';
import type { Config } from '../../platform/config/config.js';
import { JournalKeys } from '../rows/journal-keys.js';
import { OperationError } from '../rows/operation.errors.js';
import type { VerifiedJournal } from '../rows/row-check.service.js';
import { placeSigningKey, requireSameKeyOrNone, signingKeyPlace } from '../rows/signing-key.service.js';
import type { OnRows } from '../rows/table-content.js';
import { Backup } from './backup-folder.service.js';
import { KEY_FILE, type Manifest } from './manifest.schema.js';
import { restoreDatabase } from './restored-database.service.js';
import { RestoredSkills } from './restored-skills.service.js';

export interface RestoreResult {
  readonly manifest: Manifest;
  readonly journal: VerifiedJournal;
  readonly database: 'embedded' | 'postgresql';
  readonly skillsDir: string;
  readonly keyFile: string;
}

/**
 * Restores a backup into the empty database and skills folder of the settings. Everything is verified before anything
 * counts; a restore that fails or is killed can be repeated. Throws `OperationError`.
 */
export async function restore(config: Config, from: string, onRows: OnRows = () => undefined): Promise<RestoreResult> {
  const backup = await Backup.open(resolve(from));
  const { manifest } = backup;
  if (manifest.journal.name !== config.journalName) {
    const message = `The journal of the backup is signed as ${manifest.journal.name}. Set GUILDBOOK_JOURNAL_NAME to that name.`;
    throw new OperationError('restore.other_name', message);
  }
  const pem = await backup.text(KEY_FILE).catch(() => {
    throw backup.damaged('lacks its signing key');
  });
  const keys = JournalKeys.read(pem, config.journalTrustedKeys);
  if (keys === undefined) throw backup.damaged('has a signing key that cannot be read');
  await requireSameKeyOrNone(config, pem);
  const skills = new RestoredSkills(config, backup);
  await skills.build();
  try {
    const journal = await restoreDatabase(config, backup, keys, onRows, async () => {
      await skills.place();
      await placeSigningKey(config, pem);
    });
    const database = config.databaseUrl === undefined ? 'embedded' : 'postgresql';
    return { manifest, journal, database, skillsDir: config.skillsDir, keyFile: signingKeyPlace(config) };
  } catch (error) {
    await skills.discard();
    throw error;
  }
}
