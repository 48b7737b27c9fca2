import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOPICS = 40;
const DOCUMENTS = 6;
const QUERIES = 8;
const WORDS = 9;

/** A word of letters alone that says which one it is. */
const word = (topic: number, at: number): string =>
  `${['ba', 'ke', 'li', 'mo', 'nu', 'pa', 're', 'si', 'to', 'vu'][topic % 10]}${['zam', 'dor', 'fil', 'gun'][Math.trunc(topic / 10)]}${['ak', 'el', 'im', 'ot', 'ur', 'as', 'en', 'ip', 'od'][at]}`;

/**
 * Documents of topics, each in some of its topic's words, and queries in others: words find few of them, and what the
 * documents have in common finds the rest.
 */
export function topicSource({ queries: most = TOPICS * QUERIES } = {}) {
  const documents: { id: string; text: string }[] = [];
  const queries: { id: string; query: string; relevant: string[] }[] = [];
  for (let topic = 0; topic < TOPICS; topic += 1) {
    const some = (from: number, count: number, step: number): string =>
      Array.from({ length: count }, (_, at) => word(topic, (from + at * step) % WORDS)).join(' ');
    const ids = Array.from({ length: DOCUMENTS }, (_, n) => `d${topic}-${n}`);
    for (const [n, id] of ids.entries()) documents.push({ id, text: `${some(n, 4, 1)} in the report of the week` });
    for (let n = 0; n < QUERIES; n += 1)
      queries.push({ id: `q${topic}-${n}`, query: `report ${some(n, 2, 4)} ${'x'.repeat(n + 1)}`, relevant: ids });
  }
  return { documents, queries: queries.slice(0, most) };
}

/** Writes it as the source of a plan. */
export function writeTopicSource(folder: string, size: { queries?: number } = {}): void {
  const { documents, queries } = topicSource(size);
  const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'docs.jsonl'), lines(documents));
  writeFileSync(join(folder, 'queries.jsonl'), lines(queries));
}
