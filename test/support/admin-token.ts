import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The file with the one-time token of a first start without a terminal, beside the folder of the database. */
export const adminTokenFile = (dataDir: string): string => join(dirname(dataDir), 'admin-token');

/** The token in it; undefined if there is no such file. */
export function readAdminToken(dataDir: string): string | undefined {
  try {
    return readFileSync(adminTokenFile(dataDir), 'utf8').trim();
  } catch {
    return undefined;
  }
}
