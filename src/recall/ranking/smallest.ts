import type { Tellable } from '../../memory/store/readable.js';
import { MAX_QUERY_LENGTH, MAX_QUERY_WORDS } from './terms.js';
import { wordsOf } from './words.js';

const SHORT = 3;
const PER_TOOL = 2;
const TOP = 5;

export interface SmallestHit {
  readonly id: string;
  /** Points of all that could be had, in [0, 1]. */
  readonly relevance: number;
}

/**
 * The smallest retriever (spec R2), which needs no index: of the first 50 words of the query those longer than three
 * characters give a point each where an entry holds them, and each tool of the agent that an entry names gives two.
 * The five best, the first of equals first.
 */
export function smallestHits(
  entries: readonly Pick<Tellable, 'id' | 'lesson'>[],
  query: string,
  tools: readonly string[],
): SmallestHit[] {
  const asked = new Set(
    wordsOf(query.slice(0, MAX_QUERY_LENGTH))
      .slice(0, MAX_QUERY_WORDS)
      .filter((word) => [...word].length > SHORT),
  );
  const named = [...new Set(tools.map((tool) => tool.toLowerCase()))];
  const most = asked.size + PER_TOOL * named.length;
  return entries
    .map(({ id, lesson }, at) => ({ id, at, points: pointsOf(lesson, asked, named) }))
    .filter(({ points }) => points > 0)
    .sort((x, y) => y.points - x.points || x.at - y.at)
    .slice(0, TOP)
    .map(({ id, points }) => ({ id, relevance: points / most }));
}

function pointsOf(lesson: Tellable['lesson'], asked: ReadonlySet<string>, tools: readonly string[]): number {
  const { discovery, activation, steps, tags } = lesson;
  const { condition, action, rationale } = activation;
  const held = new Set(wordsOf([discovery, condition, action, rationale, ...steps, ...tags].join('\n')));
  let points = 0;
  for (const word of asked) if (held.has(word)) points += 1;
  for (const tool of tools) if (held.has(tool)) points += PER_TOOL;
  return points;
}
