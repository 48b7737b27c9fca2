import { createReadStream } from 'node:fs';
import { access, constants, mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { DomainError } from '../../platform/base/domain.errors.js';
import { parseJson } from '../../platform/base/parse-json.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redact } from '../../untrusted/redaction/redact.js';
import type { PlannedFolder } from '../checkpoints/tuning.schema.js';

export interface Source {
  readonly texts: readonly string[];
  readonly queries: readonly {
    readonly text: string;
    /** Ids of memories. */
    readonly relevant: readonly string[];
  }[];
}

/** Bytes of one file. */
const MAX_BYTES = 64 * 1_024 * 1_024;
const MAX_TEXT = 20_000;
const DOCS = 'docs.jsonl';
const QUERIES = 'queries.jsonl';

const Document = z.object({ text: z.string().min(1) });
/** Ids as a list, or with a grade each; a grade of 0 means that it was judged and does not answer. */
const Relevant = z.union([z.array(z.string()), z.record(z.string(), z.number())]);
const Query = z.object({ query: z.string().min(1), relevant: Relevant });

/** The folders of plans. All of them lie in the tuning folder, beside the database. */
@Injectable()
export class TuningFolders {
  private readonly root: string;

  constructor(@Inject(CONFIG) { dataDir }: Config) {
    this.root = join(dirname(dataDir), 'tuning');
  }

  /** Whether both files of a source can be read. */
  async source(path: string): Promise<PlannedFolder> {
    return this.checked(path, async (folder) => {
      for (const file of [DOCS, QUERIES]) {
        const { size } = await stat(join(folder, file));
        await access(join(folder, file), constants.R_OK);
        if (size > MAX_BYTES) return `${file} has more than ${MAX_BYTES} bytes`;
      }
      return undefined;
    });
  }

  /** Whether a checkpoint can be written there. The folder is created. */
  async output(path: string): Promise<PlannedFolder> {
    return this.checked(path, async (folder) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await this.requireInside(folder);
      await access(folder, constants.W_OK);
      return undefined;
    });
  }

  /** Reads a source, redacted. Throws `invalid` for a line of another form. */
  async read(path: string): Promise<Source> {
    const folder = this.folderOf(path);
    await this.requireInside(folder);
    const documents = await readLines(join(folder, DOCS), Document);
    const queries = await readLines(join(folder, QUERIES), Query);
    return {
      texts: documents.map(({ text }) => redact(text.slice(0, MAX_TEXT)).text),
      queries: queries.map(({ query, relevant }) => ({
        text: redact(query.slice(0, MAX_TEXT)).text,
        relevant: idsOf(relevant),
      })),
    };
  }

  /** Writes a file that only the owner may read. */
  async write(path: string, name: string, bytes: Uint8Array): Promise<void> {
    const folder = this.folderOf(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.requireInside(folder);
    await writeFile(join(folder, name), bytes, { mode: 0o600 });
  }

  private async checked(
    path: string,
    problemOf: (folder: string) => Promise<string | undefined>,
  ): Promise<PlannedFolder> {
    try {
      const folder = this.folderOf(path);
      const problem = (await problemOf(folder)) ?? null;
      await this.requireInside(folder);
      return { path, usable: problem === null, problem };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      return {
        path,
        usable: false,
        problem: error instanceof DomainError ? error.message : `cannot be used (${code})`,
      };
    }
  }

  private folderOf(path: string): string {
    return resolve(this.root, ...path.split('/'));
  }

  /** A link must not lead out of the tuning folder. */
  private async requireInside(folder: string): Promise<void> {
    const [root, actual] = [await realpath(this.root), await realpath(folder)];
    if (actual !== root && !actual.startsWith(`${root}${sep}`))
      throw new DomainError('invalid', 'tuning.folder_outside', 'The folder leads out of the tuning folder.');
  }
}

const idsOf = (relevant: z.infer<typeof Relevant>): string[] =>
  Array.isArray(relevant) ? relevant : Object.entries(relevant).flatMap(([id, grade]) => (grade > 0 ? [id] : []));

async function readLines<T extends z.ZodType>(file: string, schema: T): Promise<z.output<T>[]> {
  const found: z.output<T>[] = [];
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file, { end: MAX_BYTES }) })) {
    line += 1;
    if (text.trim() === '') continue;
    const parsed = schema.safeParse(parseJson(text));
    if (!parsed.success)
      throw new DomainError('invalid', 'tuning.invalid_source', `Line ${line} of a source file has another form.`);
    found.push(parsed.data);
  }
  return found;
}
