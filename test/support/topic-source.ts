import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import type { Database } from '../../src/platform/database/database.js';
import { storedMemory } from './memories.js';

const TOPICS = 40;
const DOCUMENTS = 4;
const QUERIES = 8;
const WORDS = 12;

/** A word of letters alone, which shares no piece with the others of its topic. */
const word = (topic: number, at: number): string =>
  [...sha256(`${topic} ${at}`).slice(0, 9)]
    .map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)))
    .join('');

export interface TopicSize {
  /** Of all topics. */
  readonly queries?: number;
  readonly queriesOfTopic?: number;
}

/**
 * Documents of topics, each in some of its topic's words, and queries in others: words find few of them, and what the
 * documents have in common finds the rest.
 */
export function topicSource({ queriesOfTopic = QUERIES, queries: most = TOPICS * queriesOfTopic }: TopicSize = {}) {
  const documents: { id: string; text: string }[] = [];
  const queries: { id: string; query: string; relevant: string[] }[] = [];
  for (let topic = 0; topic < TOPICS; topic += 1) {
    const some = (from: number, count: number, step: number): string =>
      Array.from({ length: count }, (_, at) => word(topic, (from + at * step) % WORDS)).join(' ');
    const ids = Array.from({ length: DOCUMENTS }, (_, n) => `d${topic}-${n}`);
    for (const [n, id] of ids.entries()) documents.push({ id, text: `${some(2 * n, 5, 1)} in the report of the week` });
    for (let n = 0; n < queriesOfTopic; n += 1)
      queries.push({ id: `q${topic}-${n}`, query: `${some(n, 1, 1)} ${'x'.repeat(n + 2)}`, relevant: ids });
  }
  return { documents, queries: queries.slice(0, most) };
}

const OWNERS = 3;
const uuidOf = (text: string): string =>
  sha256(text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');

/** Stores the documents as private lessons of several agents, whose words a base may know. */
export async function storeTopics(database: Pick<Database, 'transaction'>): Promise<void> {
  for (const [n, { id, text }] of topicSource().documents.entries())
    await storedMemory(database, {
      id: uuidOf(id),
      agentId: uuidOf(`owner ${n % OWNERS}`),
      discovery: text,
      createdAt: new Date(Date.UTC(2026, 0, 1) + n * 1_000),
    });
}

/** Writes the source of a plan that labels these lessons. */
export function writeTopicLabels(folder: string, size: TopicSize = {}): void {
  const { queries } = topicSource(size);
  writeSource(folder, {
    documents: [],
    queries: queries.map((query) => ({ ...query, relevant: query.relevant.map(uuidOf) })),
  });
}

/** Writes the documents and their queries as a source that knows nothing of the memory. */
export const writeForeignSource = (folder: string): void => writeSource(folder, topicSource());

function writeSource(folder: string, { documents, queries }: ReturnType<typeof topicSource>): void {
  const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'docs.jsonl'), lines(documents));
  writeFileSync(join(folder, 'queries.jsonl'), lines(queries));
}
