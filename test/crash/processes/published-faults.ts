import { setTimeout as sleep } from 'node:timers/promises';
import type { Guildbook } from '../../../src/client/guildbook.js';
import { check, type Faults, headOf, isCheckedOut, noFaults } from '../check.js';
import type { Ledger } from '../ledger.js';

/** A folder that follows reads the decisions every few seconds. */
const FOLLOWED_MS = 60_000;

const areInStep = (folders: readonly string[]): boolean =>
  new Set(folders.map(headOf)).size === 1 && folders.every(isCheckedOut);

/** The faults of each skills folder, once all have the same commits. */
export async function publishedFaults(
  folders: readonly string[],
  client: Guildbook,
  ledger: Ledger,
  confirmed: ReadonlySet<string>,
): Promise<Faults> {
  const all = noFaults();
  for (const until = performance.now() + FOLLOWED_MS; !areInStep(folders); await sleep(100))
    if (performance.now() > until) {
      all.other.push(`the skills folders differ: ${folders.map((folder) => `${folder} ${headOf(folder)}`).join(', ')}`);
      break;
    }
  for (const folder of folders) {
    const faults = await check(folder, client, ledger, confirmed);
    all.missing.push(...faults.missing);
    all.doubled.push(...faults.doubled);
    all.staleLocks.push(...faults.staleLocks);
    all.fsck.push(...faults.fsck);
    all.other.push(...faults.other);
  }
  return all;
}
