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
  readonly words: readonly string[];
}

/**
 * For each template, the most frequent template of its cluster. The result does not depend on the order of the
 * templates.
 */
export function clusterTemplates(templates: Iterable<WeightedTemplate>): Map<string, string> {
  const leaders = new Map<string, Leader[]>();
  const leaderOf = new Map<string, string>();
  const byWeight = [...templates].sort((a, b) => b.weight - a.weight || compareText(a.template, b.template));
  for (const { template } of byWeight) {
    if (leaderOf.has(template)) continue;
    const words = openingOf(template);
    const head = headOf(words);
    const near = leaders.get(head) ?? [];
    const leader = head === '' ? undefined : near.find((one) => areAlike(one.words, words));
    if (leader === undefined && near.length < CLUSTER_SETTINGS.leadersPerHead)
      leaders.set(head, [...near, { template, words }]);
    leaderOf.set(template, leader?.template ?? template);
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

function areAlike(a: readonly string[], b: readonly string[]): boolean {
  const same = a.filter((word, at) => word === b[at] || (isWildcard(word) && isWildcard(b[at] ?? '')));
  return a.length === b.length && same.length >= CLUSTER_SETTINGS.share * a.length;
}
