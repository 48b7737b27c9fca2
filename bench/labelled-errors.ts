import { z } from 'zod';
import { errorClass } from '../src/capture/errors/error-class.js';
import { clusterTemplates } from '../src/capture/errors/template-clusters.js';
import { parseJson } from '../src/platform/base/parse-json.js';
import { type ClusteringScore, clusteringScore } from './clustering-score.js';
import { byPrefix, byTfIdf } from './text-baselines.js';

/** One error text with its label: `error` and `error_type` of a checker, or `text` and `label` of a person. */
const Row = z.looseObject({
  error: z.unknown().optional(),
  text: z.unknown().optional(),
  error_type: z.string().nullish(),
  label: z.string().nullish(),
});

export interface LabelledErrors {
  readonly texts: readonly string[];
  readonly labels: readonly string[];
}

export function labelledErrors(jsonl: string): LabelledErrors {
  const texts: string[] = [];
  const labels: string[] = [];
  for (const [at, line] of jsonl.split('\n').entries()) {
    if (line.trim() === '') continue;
    const { data } = Row.safeParse(parseJson(line));
    const [text, label] = [data?.error ?? data?.text, data?.error_type ?? data?.label];
    if (text === undefined || text === null || !label)
      throw new Error(`line ${at + 1} has no error (or text) with an error_type (or label)`);
    texts.push(typeof text === 'string' ? text : JSON.stringify(text));
    labels.push(label);
  }
  return { texts, labels };
}

/** Prefix lengths and similarity bounds of the baselines. The best result of each counts. */
const PREFIXES = [10, 20, 30, 40, 60, 80, 100];
const BOUNDS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

export interface GroupingScore extends ClusteringScore {
  readonly texts: number;
  readonly labels: number;
  /**
   * The best setting of each baseline, selected on these labels. This favours the baselines, because our grouping has
   * not seen the labels.
   */
  readonly prefix: ClusteringScore & { length: number };
  readonly tfIdf: ClusteringScore & { bound: number };
  /** The highest score that any grouping of the texts can reach, since equal texts can have different labels. */
  readonly ceiling: number;
}

export function groupingOf({ texts, labels }: LabelledErrors): GroupingScore {
  const score = (groups: readonly string[]): ClusteringScore => clusteringScore(groups, labels);
  const prefixes = PREFIXES.map((length) => ({ length, ...score(byPrefix(texts, length)) }));
  const tfIdfs = BOUNDS.map((bound) => ({ bound, ...score(byTfIdf(texts, bound)) }));
  return {
    texts: texts.length,
    labels: new Set(labels).size,
    ...score(groupsOf(texts)),
    prefix: best(prefixes),
    tfIdf: best(tfIdfs),
    ceiling: score(majorityOf(texts, labels)).ari,
  };
}

/** The product's grouping: by class, and within a class by the miner's template clusters. */
function groupsOf(texts: readonly string[]): string[] {
  const classes = texts.map((text) => errorClass(text));
  const weights = new Map<string, Map<string, number>>();
  for (const { name, template } of classes) {
    const own = weights.get(name) ?? new Map<string, number>();
    own.set(template, (own.get(template) ?? 0) + 1);
    weights.set(name, own);
  }
  const clusters = new Map(
    [...weights].map(([name, own]) => [
      name,
      clusterTemplates([...own].map(([template, weight]) => ({ template, weight }))),
    ]),
  );
  return classes.map(({ name, template }) => `${name}: ${clusters.get(name)?.get(template) ?? template}`);
}

function best<T extends ClusteringScore>(scores: readonly T[]): T {
  const [first, ...rest] = scores;
  if (!first) throw new Error('there are no scores');
  return rest.reduce((top, score) => (score.ari > top.ari ? score : top), first);
}

/** Each text's most frequent label among equal texts. */
function majorityOf(texts: readonly string[], labels: readonly string[]): string[] {
  const counts = new Map<string, Map<string, number>>();
  texts.forEach((text, at) => {
    const own = counts.get(text) ?? new Map<string, number>();
    own.set(labels[at] ?? '', (own.get(labels[at] ?? '') ?? 0) + 1);
    counts.set(text, own);
  });
  return texts.map((text) => [...(counts.get(text) ?? [])].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '');
}
