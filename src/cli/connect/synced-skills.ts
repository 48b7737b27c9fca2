import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Product } from '../../access/identity/access.schema.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { messageOf } from '../../platform/base/error-text.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { DirectoryInUseError, lockDirectory } from '../../platform/database/single-process-lock.js';
import { type HookSettings, readHookSettings, settingsPath, skillsDuePath } from './hook-settings.js';
import { readSkillsRecord, removeEmptyFolders, type SyncedSkills, textOf, writeSkillsRecord } from './product-files.js';
import { type Folders, SETUPS } from './products.js';
import {
  filesInArchive,
  type IndexEntry,
  MAX_SKILL_BYTES,
  SKILL_FILE,
  SkillIndex,
  withinBudget,
} from './skill-files.js';

const MAX_INDEX_BYTES = 1_000_000;
/** For the index and all files. */
const LIMIT_MS = 45_000;
/** Longer than a run takes. */
const TRIES = 120;

type Files = ReadonlyMap<string, Buffer>;
type SyncedSkill = SyncedSkills['skills'][string];

/** The index of the published skills. With the token of an agent, it lists those that this agent receives. */
export const indexOf = (server: string): string => `${server.replace(/\/+$/, '')}/.well-known/agent-skills/`;

/**
 * Copies the skills of the server into the product's folder, or takes what changed since. Throws nothing that the server
 * causes: the files then stay as they are, and `problems` says why.
 */
export const syncSkills = (folders: Folders, product: Product, settings: HookSettings): Promise<SyncedSkills> =>
  inTurn(folders, product, TRIES, () => sync(folders, product, settings));

/**
 * The same at the start of a session, where `connect` copied skills from this server before. Undefined if it did not, or
 * if another run is under way.
 */
export async function refreshSkills(folders: Folders, product: Product): Promise<SyncedSkills | undefined> {
  try {
    return await inTurn(folders, product, 1, async () => {
      const settings = await readHookSettings(folders, product);
      const record = await readSkillsRecord(folders, product);
      const isFromServer = record?.synced !== undefined && record.from === indexOf(settings?.server ?? '');
      return isFromServer && settings !== undefined ? sync(folders, product, settings) : undefined;
    });
  } catch (error) {
    if (error instanceof DirectoryInUseError) return undefined;
    throw error;
  }
}

async function sync(folders: Folders, product: Product, { server, token }: HookSettings): Promise<SyncedSkills> {
  const from = indexOf(server);
  const earlier = (await readSkillsRecord(folders, product))?.synced;
  const none = { folder: SETUPS[product].skills(folders), skills: {}, kept: [], leftOut: [], problems: [] };
  const write = (synced: SyncedSkills) => writeSkillsRecord(folders, product, { from, synced });
  const synced = await takeFrom(from, token, earlier ?? none, write);
  await write(synced);
  await writeFile(skillsDuePath(folders, product), '');
  return synced;
}

/** Deletes the copies, and folders that are then empty. Returns the names of those that a person edited, which stay. */
export function removeSynced(folders: Folders, product: Product, { folder, skills }: SyncedSkills): Promise<string[]> {
  return inTurn(folders, product, TRIES, async () => {
    const kept: string[] = [];
    for (const [name, skill] of Object.entries(skills)) {
      const state = await stateOf(join(folder, name), skill);
      if (state === 'of the person') kept.push(name);
      else await removeFiles(join(folder, name), Object.keys(skill.files));
    }
    await removeEmptyFolders(folder, folder);
    await rm(skillsDuePath(folders, product), { force: true });
    return kept;
  });
}

/** True if every copied skill is in its folder, edited or not. */
export async function areThere({ folder, skills }: SyncedSkills): Promise<boolean> {
  const states = await Promise.all(Object.entries(skills).map(([name, skill]) => stateOf(join(folder, name), skill)));
  return !states.includes('missing');
}

async function takeFrom(
  from: string,
  token: string,
  earlier: SyncedSkills,
  write: (synced: SyncedSkills) => Promise<void>,
): Promise<SyncedSkills> {
  const { folder } = earlier;
  const signal = AbortSignal.timeout(LIMIT_MS);
  const get = (path: string, limit: number) => bytesAt(`${from}${path}`, { token, limit, signal });
  let entries: readonly IndexEntry[];
  try {
    entries = await readIndex(() => get('index.json', MAX_INDEX_BYTES));
  } catch (error) {
    return { ...earlier, problems: [`The index of the skills could not be read: ${messageOf(error)}.`] };
  }
  const { fit, leftOut } = withinBudget(entries);
  const skills = new Map(Object.entries(earlier.skills));
  const [kept, problems]: [string[], string[]] = [[], []];
  const downloads = new Map<string, { digest: string; files: Files }>();
  for (const entry of fit) {
    const { name, digest } = entry;
    const known = skills.get(name);
    const state = await stateOf(join(folder, name), known);
    if (state === 'of the person') kept.push(name);
    else if (state === 'missing' || known?.digest !== digest)
      try {
        const files = await download(entry, get);
        // A file of the person may be where the new version has one more.
        const added = Object.fromEntries([...files.keys()].map((path) => [path, []]));
        const whole = known && { digest, files: { ...added, ...known.files } };
        if (whole && (await stateOf(join(folder, name), whole)) === 'of the person') kept.push(name);
        else downloads.set(name, { digest, files });
      } catch (error) {
        problems.push(`The skill ${name} was not taken: ${messageOf(error)}.`);
      }
  }
  const synced = () => ({ folder, skills: Object.fromEntries(skills), kept, leftOut, problems });
  // Written first, so that the files of a run that was killed count as ours.
  for (const [name, { files }] of downloads) skills.set(name, { digest: '', files: hashesOf(files, skills.get(name)) });
  await write(synced());
  await mkdir(folder, { recursive: true });
  for (const [name, { digest, files }] of downloads) {
    await replaceFiles(join(folder, name), files, Object.keys(skills.get(name)?.files ?? {}));
    skills.set(name, { digest, files: hashesOf(files) });
  }
  const listed = new Set(fit.map(({ name }) => name));
  for (const [name, skill] of skills) {
    if (listed.has(name)) continue;
    if ((await stateOf(join(folder, name), skill)) === 'of the person') kept.push(name);
    else {
      await removeFiles(join(folder, name), Object.keys(skill.files));
      skills.delete(name);
    }
  }
  return synced();
}

async function readIndex(get: () => Promise<Buffer>): Promise<readonly IndexEntry[]> {
  const index = SkillIndex.safeParse(parseJson((await get()).toString('utf8')));
  if (!index.success) throw new Error('it has another form');
  return index.data.skills;
}

async function download(
  { name, type, digest }: IndexEntry,
  get: (path: string, limit: number) => Promise<Buffer>,
): Promise<Files> {
  const bytes = await get(`${name}/${type === 'archive' ? 'skill.tar.gz' : SKILL_FILE}`, MAX_SKILL_BYTES);
  if (`sha256:${sha256(bytes)}` !== digest) throw new Error('its bytes do not have the hash that the index says');
  return type === 'archive' ? filesInArchive(bytes) : new Map([[SKILL_FILE, bytes]]);
}

/** The bytes at an address of the server itself: a redirect would take the token elsewhere. */
async function bytesAt(
  url: string,
  { token, limit, signal }: { token: string; limit: number; signal: AbortSignal },
): Promise<Buffer> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'error',
    signal,
  }).catch((error: unknown) => {
    throw new Error(`the server did not answer (${messageOf(causeOf(error))})`);
  });
  if (response.status !== 200) throw new Error(`the server answered with status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limit) throw new Error(`the server sent more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Why a request failed; its own message says only that it did. */
const causeOf = (error: unknown): unknown => (error instanceof Error ? (error.cause ?? error) : error);

type State = 'missing' | 'ours' | 'of the person';

/** What is in the folder of a skill, compared with what was put there. */
async function stateOf(folder: string, known: SyncedSkill | undefined): Promise<State> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined) return 'missing';
  if (known === undefined || !found.isDirectory()) return 'of the person';
  let state: State = 'ours';
  for (const [path, hashes] of Object.entries(known.files)) {
    const hash = await hashAt(join(folder, path));
    if (hash === undefined) state = 'missing';
    else if (!hashes.includes(hash)) return 'of the person';
  }
  return state;
}

/** The hash of a file; undefined without one, empty for what is no file. */
async function hashAt(path: string): Promise<string | undefined> {
  try {
    return sha256(await readFile(path));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : '';
  }
}

function hashesOf(files: Files, earlier?: SyncedSkill): SyncedSkill['files'] {
  const hashes = new Map(Object.entries(earlier?.files ?? {}));
  for (const [path, bytes] of files) hashes.set(path, [...(hashes.get(path) ?? []), sha256(bytes)]);
  return Object.fromEntries(hashes);
}

const partOf = (file: string): string => `${file}.guildbook-part`;

/** Each file is replaced as a whole, SKILL.md last, because it names the others. */
async function replaceFiles(folder: string, files: Files, earlier: readonly string[]): Promise<void> {
  for (const [path, bytes] of [...files].sort(([a], [b]) => Number(a === SKILL_FILE) - Number(b === SKILL_FILE))) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(partOf(file), bytes);
    await rename(partOf(file), file);
  }
  await removeFiles(
    folder,
    earlier.filter((path) => !files.has(path)),
  );
}

async function removeFiles(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths)
    for (const file of [join(folder, path), partOf(join(folder, path))]) await rm(file, { force: true });
  await removeEmptyFolders(join(folder, 'references'), folder);
  await removeEmptyFolders(folder, folder);
}

/** One run at a time changes the skills of a product. Each try waits up to half a second for another one. */
async function inTurn<T>(folders: Folders, product: Product, tries: number, work: () => Promise<T>): Promise<T> {
  const path = settingsPath(folders, product);
  // Only what exists can be locked, and nothing is refreshed without settings.
  if ((await textOf(path)) === undefined) return work();
  const release = await locked(path, tries);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function locked(path: string, tries: number): Promise<() => Promise<void>> {
  for (let n = 1; ; n += 1)
    try {
      return await lockDirectory(path);
    } catch (error) {
      if (!(error instanceof DirectoryInUseError) || n === tries) throw error;
    }
}
