import { copyFile, mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse as parseJsonc,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import type { Product } from '../../access/identity/access.schema.js';
import { messageOf } from '../../platform/base/error-text.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { SkillName } from '../../skills/document/skill-name.schema.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import type { Entry, Folders, KeyPath, ProductFile } from './products.js';
import { isSkillFile } from './skill-files.js';

/** The text of a file; undefined without one. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Throws a `CliError` that names the file if the product could not read it. */
export function parsedSettings({ path, format }: ProductFile, text: string): unknown {
  if (format === 'toml') {
    try {
      return parseToml(text);
    } catch (error) {
      throw broken(path, 'TOML', messageOf(error).split('\n')[0] ?? '');
    }
  }
  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const line = text.slice(0, first.offset).split('\n').length;
  throw broken(path, 'JSON', `line ${line}: ${printParseErrorCode(first.error)}`);
}

/** What a file of the product says at a place; undefined if it says nothing there, or cannot be read. */
export async function valueAt({ file, key }: Entry): Promise<unknown> {
  const text = await textOf(file.path);
  try {
    const whole = text === undefined ? undefined : parsedSettings(file, text);
    return key.reduce<unknown>(
      (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
      whole,
    );
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

const broken = (path: string, format: string, reason: string): CliError =>
  new CliError(
    EXIT.failed,
    'connect.broken_file',
    `${path} is not valid ${format} (${reason}). Nothing was changed.`,
    'Repair the file or move it away, then run the same command again.',
  );

/** Where the files are kept as they were before the product was connected. */
const copiesFolder = ({ data }: Folders, product: Product): string => join(data, 'guildbook', 'copies', product);

const copyPath = (folders: Folders, product: Product, { path }: ProductFile): string =>
  join(copiesFolder(folders, product), relative(folders.home, path).replaceAll('/', '%'));

/** Copies each file that exists, unless an earlier `connect` did. A file that does not exist leaves an empty copy. */
export async function keepCopies(folders: Folders, product: Product, files: readonly ProductFile[]): Promise<string> {
  const folder = copiesFolder(folders, product);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const file of files) {
    const copy = copyPath(folders, product, file);
    if ((await textOf(copy)) !== undefined) continue;
    const text = await textOf(file.path);
    if (text === undefined) await writeFile(copy, '', { mode: 0o600 });
    else await copyFile(file.path, copy);
  }
  return folder;
}

/**
 * After the product was disconnected: takes out the keys that it left. A file that then says the same as before gets its
 * old bytes back, and one that did not exist goes away if it holds nothing. Every other file stays as the product left
 * it. Removes the copies.
 */
export async function restoreCopies(folders: Folders, product: Product, files: readonly ProductFile[]): Promise<void> {
  for (const file of files) {
    await removeOwnKeys(file);
    const copied = await textOf(copyPath(folders, product, file));
    const now = await textOf(file.path);
    if (copied === undefined || now === undefined || copied === now) continue;
    const before = copied === '' ? undefined : meaningOf(file, copied);
    if (!isDeepStrictEqual(meaningOf(file, now), before)) continue;
    if (copied === '') await rm(file.path);
    else await writeFile(file.path, copied);
  }
  await rm(copiesFolder(folders, product), { recursive: true, force: true });
}

/** Takes the keys of ours out of a cache of the product, which goes away if it holds nothing else. */
export async function removeFromCache(file: ProductFile): Promise<void> {
  await removeOwnKeys(file);
  const text = await textOf(file.path);
  if (text !== undefined && /^\s*\{\s*\}\s*$/.test(text)) await rm(file.path);
}

async function removeOwnKeys({ path, ownKeys = [] }: ProductFile): Promise<void> {
  const before = await textOf(path);
  if (before === undefined || ownKeys.length === 0) return;
  const errors: ParseError[] = [];
  const root = parseTree(before, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) return;
  const found = ownKeys.filter((key) => findNodeAtLocation(root, [...key]) !== undefined);
  const after = found.reduce((text, key) => applyEdits(text, modify(text, [...key], undefined, {})), before);
  if (after !== before) await writeFile(path, after);
}

/** What the file says, without sections that hold nothing and without ignored keys. */
function meaningOf(file: ProductFile, text: string): unknown {
  const value: unknown = JSON.parse(JSON.stringify(parsedSettings(file, text) ?? null));
  return withoutEmpty((file.ignoredKeys ?? []).reduce(withoutKey, value));
}

function withoutKey(value: unknown, [key = '', ...rest]: KeyPath): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).flatMap(([name, part]) => {
    if (name !== key) return [[name, part] as const];
    return rest.length === 0 ? [] : [[name, withoutKey(part, rest)] as const];
  });
  return Object.fromEntries(entries);
}

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  const kept = Object.entries(value)
    .map(([key, part]) => [key, withoutEmpty(part)] as const)
    .filter(([, part]) => part !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Removes folders that are empty, from the deepest one up to the last given. */
export async function removeEmptyFolders(deepest: string, last: string): Promise<void> {
  for (let folder = deepest; folder.startsWith(last); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The skills that were copied from the server's index, and what the last run had to say about them. */
export const SyncedSkills = z.object({
  /** The folder that holds a folder for each skill. */
  folder: z.string(),
  skills: z.record(
    SkillName,
    z.object({
      /** The `digest` in the index; empty while its files are replaced. */
      digest: z.string(),
      /** By path, the hashes of what was put there: two while a file is replaced. A file with another hash is edited. */
      files: z.record(z.string().refine(isSkillFile), z.array(Sha256)),
    }),
  ),
  /** Skills of the person with a published name, and those that the person edited. They stay as they are. */
  kept: z.array(z.string()),
  /** Skills beyond the budget for descriptions. */
  leftOut: z.array(z.string()),
  /** One sentence each. */
  problems: z.array(z.string()),
});
export type SyncedSkills = z.infer<typeof SyncedSkills>;

/** What `connect` installed of the skills, so that `--undo` takes back that and nothing of the person's. */
const SkillsRecord = z.object({
  /** The address in the form that the product was given, or that of the server's index. */
  from: z.string(),
  /** Missing if the product takes them from a git remote by itself. */
  synced: SyncedSkills.optional(),
});
export type SkillsRecord = z.infer<typeof SkillsRecord>;

const recordPath = ({ data }: Folders, product: Product): string =>
  join(data, 'guildbook', 'skills', `${product}.json`);

export async function readSkillsRecord(folders: Folders, product: Product): Promise<SkillsRecord | undefined> {
  const text = await textOf(recordPath(folders, product));
  const record = SkillsRecord.safeParse(text === undefined ? undefined : parseJson(text));
  return record.success ? record.data : undefined;
}

/** Written before a product is changed, so that a run that was killed can be undone. */
export async function writeSkillsRecord(folders: Folders, product: Product, record: SkillsRecord): Promise<void> {
  const path = recordPath(folders, product);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.part`;
  await writeFile(part, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(part, path);
}

export const removeSkillsRecord = (folders: Folders, product: Product): Promise<void> =>
  rm(recordPath(folders, product), { force: true });
