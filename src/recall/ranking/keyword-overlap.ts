import { namesOfFamily, toolFamily } from '../../evidence/calls/tool-family.js';
import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { searchableText } from './searchable-text.js';
import { MAX_QUERY_LENGTH, MAX_QUERY_WORDS } from './terms.js';
import { wordsOf } from './words.js';

const SHORT = 3;
const PER_TOOL = 2;
const TOP = 5;

/**
 * Retrieval without an index. Each of the first 50 query words with more than three characters gives a point if the memory
 * contains it, and each tool of the agent that the memory is about gives two, by whichever name: `Bash` is the tool of a
 * memory that says "shell" or shows a command. Returns the ids of the five best; ties keep their order.
 */
export function keywordOverlapHits(
  entries: readonly Pick<RecallableMemory, 'id' | 'lesson'>[],
  query: string,
  tools: readonly string[],
): string[] {
  const queryWords = new Set(
    wordsOf(query.slice(0, MAX_QUERY_LENGTH))
      .slice(0, MAX_QUERY_WORDS)
      .filter((word) => [...word].length > SHORT),
  );
  const families = toolFamilies(tools);
  return entries
    .map(({ id, lesson }, at) => ({ id, at, points: pointsOf(lesson, queryWords, families) }))
    .filter(({ points }) => points > 0)
    .sort((x, y) => y.points - x.points || x.at - y.at)
    .slice(0, TOP)
    .map(({ id }) => id);
}

function pointsOf(
  lesson: RecallableMemory['lesson'],
  queryWords: ReadonlySet<string>,
  families: readonly ToolFamily[],
): number {
  const { about, rest } = searchableText({ lesson });
  const memoryWords = new Set(wordsOf([...about, ...rest, ...lesson.tags].join('\n')));
  let points = 0;
  for (const word of queryWords) if (memoryWords.has(word)) points += 1;
  const used = new Set(calledTools(lesson));
  for (const { family, names } of families)
    if (used.has(family) || names.some((name) => memoryWords.has(name))) points += PER_TOOL;
  return points;
}

interface ToolFamily {
  readonly family: string;
  /** The names by which a memory can speak of it, those of the agent among them. */
  readonly names: readonly string[];
}

/** Two names of one tool count once. */
function toolFamilies(tools: readonly string[]): ToolFamily[] {
  const byFamily = new Map<string, string[]>();
  for (const tool of tools) {
    const family = toolFamily(tool);
    byFamily.set(family, [...(byFamily.get(family) ?? namesOfFamily(family)), tool.toLowerCase()]);
  }
  return [...byFamily].map(([family, names]) => ({ family, names }));
}

/** The families of the tools whose calls the example of a lesson shows. */
function calledTools({ example }: RecallableMemory['lesson']): string[] {
  if (example === undefined) return [];
  return [example.failed, ...example.between, ...(example.worked ? [example.worked] : [])].map(({ tool }) =>
    toolFamily(tool),
  );
}
