import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { searchableText } from './searchable-text.js';
import { MAX_QUERY_LENGTH, MAX_QUERY_WORDS } from './terms.js';
import { wordsOf } from './words.js';

const SHORT = 3;
const PER_TOOL = 2;
const TOP = 5;

export interface KeywordOverlapHit {
  readonly id: string;
  /** Points divided by the maximum number of points, in [0, 1]. */
  readonly relevance: number;
}

/**
 * Retrieval without an index. Each of the first 50 query words with more than three characters gives a point if the memory
 * contains it, and each tool of the agent that the memory names gives two. Returns the five best; ties keep their order.
 */
export function keywordOverlapHits(
  entries: readonly Pick<RecallableMemory, 'id' | 'lesson'>[],
  query: string,
  tools: readonly string[],
): KeywordOverlapHit[] {
  const queryWords = new Set(
    wordsOf(query.slice(0, MAX_QUERY_LENGTH))
      .slice(0, MAX_QUERY_WORDS)
      .filter((word) => [...word].length > SHORT),
  );
  const toolNames = [...new Set(tools.map((tool) => tool.toLowerCase()))];
  const maxPoints = queryWords.size + PER_TOOL * toolNames.length;
  return entries
    .map(({ id, lesson }, at) => ({ id, at, points: pointsOf(lesson, queryWords, toolNames) }))
    .filter(({ points }) => points > 0)
    .sort((x, y) => y.points - x.points || x.at - y.at)
    .slice(0, TOP)
    .map(({ id, points }) => ({ id, relevance: points / maxPoints }));
}

function pointsOf(
  lesson: RecallableMemory['lesson'],
  queryWords: ReadonlySet<string>,
  tools: readonly string[],
): number {
  const { about, rest } = searchableText({ lesson });
  const memoryWords = new Set(wordsOf([...about, ...rest, ...lesson.tags].join('\n')));
  let points = 0;
  for (const word of queryWords) if (memoryWords.has(word)) points += 1;
  for (const tool of tools) if (memoryWords.has(tool)) points += PER_TOOL;
  return points;
}
