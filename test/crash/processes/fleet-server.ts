import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { KilledServer } from '../killed-server.js';
import { auditFileIn } from './audit-copies.js';
import { EVERY_S } from './fleet-faults.js';

export const ADMIN_TOKEN = `gbo_${randomBytes(32).toString('base64url')}`;
const EVERY = `*/${EVERY_S} * * * * *`;

export const FOLDERS = ['shared', 'own'] as const;
/** Whether the processes publish to one skills folder, or each has its own. */
export type Folders = (typeof FOLDERS)[number];

export const skillsDirOf = (folder: string, name: string, folders: Folders): string =>
  join(folder, folders === 'own' ? `skills-of-${name}` : 'skills');

/** One of the processes on the database: they share the signing key in `folder`. */
export function fleetServer(
  folder: string,
  url: string,
  name: string,
  dist: string,
  folders: Folders = 'shared',
): KilledServer {
  return new KilledServer(join(folder, name), url, {
    dist,
    skillsDir: skillsDirOf(folder, name, folders),
    settings: {
      GUILDBOOK_ADMIN_TOKEN: ADMIN_TOKEN,
      GUILDBOOK_JOURNAL_KEY_FILE: join(folder, 'journal-key.pem'),
      GUILDBOOK_AUDIT_FILE: auditFileIn(folder),
      // The receiver of the audit stream is on this machine.
      GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE: 'true',
      GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000',
      // Leases of payloads last as long, and a killed process leaves some.
      GUILDBOOK_PROPOSER_TIMEOUT_SECONDS: '5',
      GUILDBOOK_EVOLVER_ENABLED: 'true',
      GUILDBOOK_EVOLVER_CRON: EVERY,
      GUILDBOOK_UPKEEP_CRON: EVERY,
      GUILDBOOK_CONSOLIDATION_CRON: '*/30 * * * * *',
      GUILDBOOK_CONSOLIDATION_MIN_HOURS: '0',
      GUILDBOOK_CONSOLIDATION_MIN_SESSIONS: '1',
    },
  });
}
