import { compareText } from '../../platform/base/compare-text.js';

/** A template and the number of errors that have it. */
export interface WeightedTemplate {
  readonly template: string;
  readonly weight: number;
}

/**
 * Two templates are one message if their opening clauses have the same number of words, agree in most of them, and
 * begin alike (Drain, He et al. 2017; the index by head replaces its tree). The text after the opening holds values and
 * advice.
 */
export const CLUSTER_SETTINGS = { headWords: 2, openingWords: 3, share: 0.7, words: 40, leadersPerHead: 200 } as const;

interface Leader {
  readonly template: string;
  /** The words of its opening as numbers: equal words, and all placeholders, have the same one. */
  readonly words: readonly number[];
}

/**
 * For each template, the most frequent template of its cluster. The result does not depend on the order of the
 * templates.
 */
export function clusterTemplates(templates: Iterable<WeightedTemplate>): Map<string, string> {
  const leaders = new Map<string, Leader[]>();
  const leaderOf = new Map<string, string>();
  const numbers = new Map<string, number>();
  const byWeight = [...templates].sort((a, b) => b.weight - a.weight || compareText(a.template, b.template));
  for (const { template } of byWeight) {
    if (leaderOf.has(template)) continue;
    const opening = openingOf(template);
    const head = headOf(opening);
    leaderOf.set(template, template);
    if (head === '') continue;
    const words = opening.map((word) => numberOf(numbers, isWildcard(word) ? '[' : word));
    const near = leaders.get(head) ?? [];
    const leader = near.find((one) => areAlike(one.words, words));
    if (leader !== undefined) leaderOf.set(template, leader.template);
    else if (near.length < CLUSTER_SETTINGS.leadersPerHead) near.push({ template, words });
    leaders.set(head, near);
  }
  return leaderOf;
}

/** The words up to the first clause border after which there are enough of them. */
function openingOf(template: string): string[] {
  const words: string[] = [];
  for (const clause of template.split(/[.:;,](?= )/, CLUSTER_SETTINGS.words)) {
    words.push(...(clause.match(/\[\w{1,10}\]|[\p{L}\p{N}_'-]{1,60}/gu) ?? []));
    if (words.length >= CLUSTER_SETTINGS.openingWords) break;
  }
  return words.slice(0, CLUSTER_SETTINGS.words);
}

const isWildcard = (word: string): boolean => word.startsWith('[');

/** The first words that are not placeholders. A message with fewer words says too little to be clustered. */
function headOf(words: readonly string[]): string {
  const literal = words.filter((word) => !isWildcard(word));
  if (literal.length < CLUSTER_SETTINGS.headWords) return '';
  return [words.length, ...literal.slice(0, CLUSTER_SETTINGS.headWords)].join(' ').toLowerCase();
}

function numberOf(numbers: Map<string, number>, word: string): number {
  const known = numbers.get(word) ?? numbers.size;
  numbers.set(word, known);
  return known;
}

/** Stops at the word with which too many differ: two messages of many reports are compared millions of times. */
function areAlike(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  const needed = CLUSTER_SETTINGS.share * a.length;
  let same = a.length;
  for (let at = 0; at < a.length; at += 1) {
    if (a[at] === b[at]) continue;
    same -= 1;
    if (same < needed) return false;
  }
  return true;
}
