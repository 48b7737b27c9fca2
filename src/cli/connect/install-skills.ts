import { rm } from 'node:fs/promises';
import type { Product } from '../../access/identity/access.schema.js';
import type { RepositoryState } from '../../skills/publishing/remote.schema.js';
import { hasCopies, installCopies, removeCopies } from './gemini-skills.js';
import { hasIndex, installIndex, removeIndex } from './opencode-skills.js';
import { valueAt } from './product-files.js';
import { type Folders, SETUPS } from './products.js';
import { failureOf } from './run-program.js';
import type { InstalledSkills, SkillsOutcome, SkillsTarget } from './skills-outcome.js';
import { readSkillsRecord, removeSkillsRecord, type SkillsRecord, writeSkillsRecord } from './skills-record.js';
import { addressFor, indexOf, MARKETPLACES, type MarketplaceSetup } from './skills-setup.js';

/**
 * Installs the published skills from where the server says they can be had, or takes the newest of them. What an earlier
 * run installed from elsewhere goes first.
 */
export async function installSkills(
  target: SkillsTarget,
  server: string,
  { head, remote }: Pick<RepositoryState, 'head' | 'remote'>,
): Promise<SkillsOutcome> {
  const { folders, product } = target;
  // A server of an earlier version does not say an address.
  const said = remote?.address ?? undefined;
  const from = product === 'opencode' ? indexOf(server) : said && addressFor(product, said);
  const earlier = await readSkillsRecord(folders, product);
  if (earlier !== undefined && earlier.from !== from) await removeSkills(target);
  const record = earlier?.from === from ? earlier : undefined;
  if (from === undefined)
    return { state: 'not installed', reason: said === undefined ? 'no remote' : 'address not taken' };
  if (product === 'opencode') {
    const outcome = await installIndex(folders, from, record);
    // The server has closed the index since.
    if (outcome.state === 'not installed') await removeSkills(target);
    return outcome;
  }
  if (head === null) return { state: 'not installed', reason: 'nothing published' };
  return product === 'gemini'
    ? installCopies(target, from, record)
    : installPlugin(target, MARKETPLACES[product], from, record);
}

/** Takes back what `installSkills` installed, and nothing else. May be repeated. */
export async function removeSkills(target: SkillsTarget): Promise<void> {
  const { folders, product, program } = target;
  const record = await readSkillsRecord(folders, product);
  if (record === undefined) return;
  if (product === 'opencode') await removeIndex(folders, record.from);
  else if (product === 'gemini') await removeCopies(folders, record.names);
  else {
    const { uninstall, remains } = MARKETPLACES[product];
    if (program !== undefined) for (const args of uninstall) await failureOf(program, args, folders);
    for (const folder of remains(folders)) await rm(folder, { recursive: true, force: true });
  }
  await removeSkillsRecord(folders, product);
}

async function installPlugin(
  target: SkillsTarget,
  setup: MarketplaceSetup,
  from: string,
  record: SkillsRecord | undefined,
): Promise<SkillsOutcome> {
  const { folders, product, program = '' } = target;
  const hasMarketplace = (await valueAt(setup.marketplace(folders))) !== undefined;
  if (record === undefined && hasMarketplace) return { state: 'kept', from };
  const isUpdate = hasMarketplace && (await valueAt(setup.plugin(folders))) !== undefined;
  if (!isUpdate) await removeSkills(target);
  await writeSkillsRecord(folders, product, { from, names: [] });
  for (const args of isUpdate ? setup.update : setup.install(from)) {
    const said = await failureOf(program, args, folders);
    if (said === undefined) continue;
    // What an earlier run installed stays; half an installation does not.
    if (!isUpdate) await removeSkills(target);
    return { state: 'failed', from, command: [SETUPS[product].program, ...args].join(' '), said };
  }
  return { state: 'installed', from, ownKept: [] };
}

/** What `connect` installed of the skills; null if it installed none. */
export async function installedSkills(folders: Folders, product: Product): Promise<InstalledSkills | null> {
  const record = await readSkillsRecord(folders, product);
  return record === undefined ? null : { from: record.from, isThere: await isThere(folders, product, record) };
}

async function isThere(folders: Folders, product: Product, { from, names }: SkillsRecord): Promise<boolean> {
  if (product === 'opencode') return hasIndex(folders, from);
  if (product === 'gemini') return hasCopies(folders, names);
  return (await valueAt(MARKETPLACES[product].plugin(folders))) !== undefined;
}
