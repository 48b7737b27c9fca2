import { createRequire } from 'node:module';
import { sumBy } from '../../platform/base/sum.js';
import { type Searchable, searchableText } from './searchable-text.js';
import { MAX_QUERY_LENGTH, MAX_QUERY_WORDS, termsByWord, termsOf } from './terms.js';

/** A word of a query that says what it is about, with its terms: those of a compound are one word. */
type AskedWord = readonly AskedTerm[];

interface AskedTerm {
  readonly term: string;
  /** By its frequency in English. */
  readonly english: number;
  /** By its frequency in the memories that the reader may see. */
  readonly rarity: number;
}

/** Words below this tell nothing: "the", "what", "with". Their frequency in English says so, and no list. */
const CONTENT = 2.2;
/** Matched words stand together if at most this many terms are from one to the next. */
const WINDOW = 2;

/**
 * A logistic regression that tells the best match of a query which the memories answer from that of one which they do
 * not: half of the labelled queries of three sets, and half of bench/everyday-prompts.json asked of these sets and of the
 * sample fleet, a prompt ten times. docs/measurements/retrieval.md has the figures on the other halves. `SLOPE` halves
 * the log odds, so that the order of sure matches is kept.
 */
const FIT = {
  intercept: -10.21,
  matched: 3.26,
  length: -1.04,
  aboutShare: 3.77,
  best: 0.6,
  englishShare: -13.87,
  rarityShare: 13.18,
  together: 0.93,
} as const;
const SLOPE = 0.5;

/** A memory that has every word which is asked for answers, however long it is, if one of them is rare. */
const WHOLE = { tells: 9, logOdds: 1 } as const;

/** `rarityOf`: idf among the memories that the reader may see, by term. */
export function askedWords(query: string, rarityOf: (term: string) => number): AskedWord[] {
  const seen = new Set<string>();
  let left = MAX_QUERY_WORDS;
  return termsByWord(query.slice(0, MAX_QUERY_LENGTH)).flatMap((terms) => {
    const word = terms.slice(0, left).flatMap((term) => {
      left -= 1;
      const english = englishInformation(term);
      if (seen.has(term) || english < CONTENT) return [];
      seen.add(term);
      return [{ term, english, rarity: rarityOf(term) }];
    });
    return word.length > 0 ? [word] : [];
  });
}

/** The terms of a memory as evidence sees them, with their places. */
export class MemoryWords {
  private readonly about: ReadonlySet<string>;
  private readonly places = new Map<string, number[]>();
  readonly length: number;

  constructor(memory: Searchable) {
    const { about, rest } = searchableText(memory);
    const terms = termsOf(about.join('\n'));
    this.about = new Set(terms);
    terms.push(...termsOf([...rest, ...memory.lesson.tags].join('\n')));
    this.length = terms.length;
    for (const [place, term] of terms.entries()) {
      const known = this.places.get(term);
      if (known) known.push(place);
      else this.places.set(term, [place]);
    }
  }

  has(term: string): boolean {
    return this.places.has(term);
  }

  isAbout(term: string): boolean {
    return this.about.has(term);
  }

  areTogether(a: string, b: string): boolean {
    const [one, other] = [this.places.get(a) ?? [], this.places.get(b) ?? []];
    let [x, y] = [0, 0];
    while (x < one.length && y < other.length) {
      const apart = (other[y] ?? 0) - (one[x] ?? 0);
      if (apart !== 0 && Math.abs(apart) <= WINDOW) return true;
      if (apart > 0) x += 1;
      else y += 1;
    }
    return false;
  }
}

/** The relevance that log odds stand for, in [0, 1]; from 1/2 on a memory is more likely about the query than not. */
export const relevanceOf = (logOdds: number): number => 1 / (1 + Math.exp(-SLOPE * logOdds));

/**
 * How far a cosine stands out from those of everyday texts, in their deviations, where a match is as likely as not: one of
 * 300,000 memories without any relation does by chance, if cosines are distributed normally.
 */
const VECTOR = { from: 4.5, slope: 1.6 } as const;
/** A few cosines do not say how far others spread, so that at least this is assumed. */
const LEAST_DEVIATION = 0.05;
/** The deviation of a normal distribution, in median distances from its middle. */
const DEVIATION_OF_MEDIAN = 1.4826;

/**
 * The log odds that a cosine stands for, by those of everyday texts with memories that they have nothing to do with.
 * Medians, because a memory that is such a text itself must not hide the others.
 */
export function logOddsByVector(everyday: readonly number[]): (cosine: number) => number {
  const middle = medianOf(everyday);
  const distance = medianOf(everyday.map((one) => Math.abs(one - middle)));
  const deviation = Math.max(LEAST_DEVIATION, DEVIATION_OF_MEDIAN * distance);
  return (cosine) => VECTOR.slope * ((cosine - middle) / deviation - VECTOR.from);
}

const medianOf = (values: readonly number[]): number =>
  [...values].sort((x, y) => x - y)[Math.floor(values.length / 2)] ?? 0;

/** How much a search orders by its score beside the evidence. Chosen on half of the labelled queries. */
export const SCORE_SHARE = 8;

/**
 * The log odds that a memory is about the query by its words, from −∞ without a common word. The evidence: how much the
 * matched words tell in English, which share of what the query asks for they are, in English and among the memories,
 * which share the memory is about, whether they stand together, and that a long memory matches by chance.
 */
export function logOddsByWords(asked: readonly AskedWord[], memory: MemoryWords): number {
  const has = (term: string): boolean => memory.has(term);
  const [all, matched] = weightOf(asked, 'english', has);
  if (matched === 0) return Number.NEGATIVE_INFINITY;
  const [allRarity, rarity] = weightOf(asked, 'rarity', has);
  const [, about] = weightOf(asked, 'english', (term) => memory.isAbout(term));
  const best = Math.max(...asked.flat().map(({ term, english }) => (has(term) ? english : 0)));
  const logOdds =
    FIT.intercept +
    FIT.matched * Math.log1p(matched) +
    FIT.length * Math.log1p(memory.length) +
    FIT.aboutShare * (about / all) +
    FIT.best * best +
    FIT.englishShare * (matched / all) +
    FIT.rarityShare * (allRarity > 0 ? rarity / allRarity : 0) +
    FIT.together * togetherIn(asked, memory);
  return matched === all && best >= WHOLE.tells ? Math.max(logOdds, WHOLE.logOdds) : logOdds;
}

/** The weight of the words, each that of its best term, and that of the shares for whose terms `is` holds. */
function weightOf(asked: readonly AskedWord[], by: 'english' | 'rarity', is: (term: string) => boolean) {
  let [all, held] = [0, 0];
  for (const word of asked) {
    const best = Math.max(...word.map((term) => term[by]));
    const whole = sumBy(word, (term) => term[by]);
    all += best;
    if (whole > 0) held += (best * sumBy(word, (term) => (is(term.term) ? term[by] : 0))) / whole;
  }
  return [all, held] as const;
}

/** The words that follow another one in the query and stand beside it in the memory. */
const togetherIn = (asked: readonly AskedWord[], memory: MemoryWords): number =>
  asked.slice(1).filter(([first], at) => {
    const last = asked[at]?.at(-1);
    return last && first && memory.areTogether(last.term, first.term);
  }).length;

/** What a stem tells that the list does not hold: it is rare in English, as the names of programs and errors are. */
const RARE = 9;
/** A bare number is in texts about anything. */
const NUMBER = 2.5;
const IS_NUMBER = /^\d{1,12}$/;

// scripts/update-english-words.mjs writes the file in this shape: stems by weight, apart by blanks.
const LISTED = createRequire(import.meta.url)('./english/words.json') as Readonly<Record<string, string>>;
const INFORMATION: ReadonlyMap<string, number> = new Map(
  Object.entries(LISTED).flatMap(([weight, stems]) => stems.split(' ').map((stem) => [stem, Number(weight)] as const)),
);

/**
 * How much it tells that a text of 30 words of English holds this stem, in nats: -ln of the share of such texts that do,
 * from 0.3 ("you") to 9 (SUBTLEXus, 51 million words of spoken English).
 */
export const englishInformation = (stem: string): number =>
  IS_NUMBER.test(stem) ? Math.min(NUMBER, INFORMATION.get(stem) ?? NUMBER) : (INFORMATION.get(stem) ?? RARE);
