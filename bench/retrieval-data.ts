import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '../src/platform/config/config.js';

export interface Document {
  readonly id: string;
  readonly name: string;
  /** The first lines of the text that say what it is about, where the set has them apart. */
  readonly about?: string;
  readonly text: string;
}

export interface Query {
  readonly text: string;
  /** Gain by document id. */
  readonly relevant: ReadonlyMap<string, number>;
}

export interface Collection {
  readonly name: string;
  readonly documents: readonly Document[];
  readonly queries: readonly Query[];
}

const Id = z.union([z.string(), z.number()]).transform(String);
const DocumentRow = z.looseObject({
  id: Id.optional(),
  _id: Id.optional(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  text: z.string().nullish(),
  description: z.string().nullish(),
  body: z.string().nullish(),
});
const QueryRow = z.looseObject({
  query: z.string().optional(),
  text: z.string().optional(),
  relevant: z.union([z.array(Id), z.record(z.string(), z.number())]),
});
const SkillRow = z.looseObject({
  id: Id,
  name: z.string(),
  description: z.string(),
  body: z.string(),
  when_to_use: z.array(z.string()),
});

/** Reads documents, and queries with their relevant documents, one JSON object a line. Errors name file and line. */
export function readCollection(docs: string, queries: string): Collection {
  const documents = rows(docs, DocumentRow).map(({ id, _id, title, name, text, description, body }, at) => {
    const ownId = id ?? _id;
    if (ownId === undefined) throw new Error(`${docs}:${at + 1}: a document needs an "id"`);
    // A tool or skill without a title is named by its id.
    return { id: ownId, name: title ?? name ?? ownId, text: [text, description, body].filter(Boolean).join('\n') };
  });
  const asked = rows(queries, QueryRow).map(({ query, text, relevant }, at) => {
    const words = query ?? text;
    if (words === undefined) throw new Error(`${queries}:${at + 1}: a query needs "query" or "text"`);
    const gains: [string, number][] = Array.isArray(relevant)
      ? relevant.map((id) => [id, 1])
      : Object.entries(relevant);
    return { text: words, relevant: new Map(gains.filter(([, gain]) => gain > 0)) };
  });
  return { name: basename(dirname(docs)), documents, queries: asked.filter(({ relevant }) => relevant.size > 0) };
}

/** Reads skills as documents and their `when_to_use` texts as queries. Lines of a body that contain one are removed. */
export function readSkills(file: string): Collection {
  const skills = rows(file, SkillRow);
  const documents = skills.map(({ id, name, description, body, when_to_use: uses }) => ({
    id,
    name,
    about: description,
    text: `${description}\n${body
      .split('\n')
      .filter((line) => !uses.some((use) => line.includes(use.slice(0, 30))))
      .join('\n')}`,
  }));
  const queries = skills.flatMap(({ id, when_to_use: uses }) =>
    uses.map((text) => ({ text, relevant: new Map([[id, 1]]) })),
  );
  return { name: 'skills', documents, queries };
}

/** Reads the sections of the documents of the repository, each with its heading as the query that is to find it. */
export function readOwnDocuments(): Collection {
  const folder = join(PROJECT_ROOT, 'docs');
  const sections = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const [page = '', ...parts] = readFileSync(join(folder, file), 'utf8').split(/^#+ /m).slice(1);
      const title = page.split('\n', 1)[0] ?? file;
      return parts.map((part, at) => {
        const heading = part.split('\n', 1)[0] ?? '';
        return { id: `${file} ${at}`, name: title, heading, text: part.slice(heading.length) };
      });
    });
  const queries = sections.map(({ id, name, heading }) => ({
    text: `${name}: ${heading}`,
    relevant: new Map([[id, 1]]),
  }));
  return { name: 'own', documents: sections.map(({ id, name, text }) => ({ id, name, text })), queries };
}

/** Reads the collections of the data folder. */
export function readFolder(folder: string): Collection[] {
  const of = (name: string) =>
    readCollection(join(folder, 'retrieval', name, 'docs.jsonl'), join(folder, 'retrieval', name, 'queries.jsonl'));
  return [of('cranfield'), of('metatool'), readSkills(join(folder, 'skills-corpus', 'skills.jsonl'))];
}

function rows<S extends z.ZodType>(file: string, schema: S): z.output<S>[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return [];
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch {
      throw new Error(`${file}:${at + 1}: not valid JSON`);
    }
    const parsed = schema.safeParse(row);
    const [issue] = parsed.error?.issues ?? [];
    if (!parsed.success) throw new Error(`${file}:${at + 1}: ${issue?.path.join('.')}: ${issue?.message}`);
    return [parsed.data];
  });
}
