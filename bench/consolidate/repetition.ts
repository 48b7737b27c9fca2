import { wordsOf } from '../../src/recall/ranking/words.js';

/** What a record says about the task; the other fields say where it comes from, and stand in every record. */
const SAYS = ['task', 'lesson', 'cause'] as const;
/** Share of common words from which a line says what another one says. */
const SAME = 0.8;
/** So many consecutive words that another line has as well are no coincidence of language. */
const PHRASE = 8;

/** Words of recalls that repeat another line of the same recall. */
export interface Repetition {
  readonly words: number;
  /** Of lines that say as a whole what an earlier one says. */
  readonly lines: number;
  /** In phrases of eight words that an earlier line has as well, wherever they stand in it. */
  readonly phrases: number;
}

/** Counts the words of the rendered lines of one recall, and those that repeat an earlier line. */
export function repetitionIn(lines: readonly string[]): Repetition {
  const all = lines.map(wordsSaid);
  const phrases = new Set<string>();
  const count = { words: 0, lines: 0, phrases: 0 };
  for (const [at, words] of all.entries()) {
    const own = phrasesOf(words);
    const repeated = new Set(own.flatMap((one, from) => (phrases.has(one) ? range(from) : [])));
    const isRepeat = all.slice(0, at).some((earlier) => jaccard(new Set(earlier), new Set(words)) >= SAME);
    count.words += words.length;
    count.lines += isRepeat ? words.length : 0;
    count.phrases += repeated.size;
    for (const one of own) phrases.add(one);
  }
  return count;
}

export const sumOf = (all: readonly Repetition[]): Repetition =>
  all.reduce(
    (sum, one) => ({
      words: sum.words + one.words,
      lines: sum.lines + one.lines,
      phrases: sum.phrases + one.phrases,
    }),
    { words: 0, lines: 0, phrases: 0 },
  );

function wordsSaid(line: string): readonly string[] {
  const record: unknown = JSON.parse(line);
  if (typeof record !== 'object' || record === null) return [];
  const fields = new Map<string, unknown>(Object.entries(record));
  return SAYS.flatMap((name) => wordsOf(String(fields.get(name) ?? '')));
}

const phrasesOf = (words: readonly string[]): string[] =>
  Array.from({ length: Math.max(0, words.length - PHRASE + 1) }, (_, at) => words.slice(at, at + PHRASE).join(' '));

const range = (from: number): number[] => Array.from({ length: PHRASE }, (_, at) => from + at);

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  return a.size + b.size === 0 ? 1 : common / (a.size + b.size - common);
}
