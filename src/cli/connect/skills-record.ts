import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Product } from '../../access/identity/access.schema.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { textOf } from './product-files.js';
import type { Folders } from './products.js';

/** True for a name that a folder of a published skill has, which is never a path. */
export const isFolderOfSkill = (name: string): boolean => /^[a-z0-9][a-z0-9-]*$/.test(name);

/** What `connect` installed of the skills, so that `--undo` takes back that and nothing of the person's. */
const SkillsRecord = z.object({
  /** The address in the form that the product was given. */
  from: z.string(),
  /** Folders of skills, for a product that copies each skill into one. */
  names: z.array(z.string().refine(isFolderOfSkill)).default([]),
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
  await writeFile(path, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

export const removeSkillsRecord = (folders: Folders, product: Product): Promise<void> =>
  rm(recordPath(folders, product), { force: true });
