import { z } from 'zod';
import { errorClass } from '../src/capture/errors/error-class.js';
import { clusterTemplates } from '../src/capture/errors/template-clusters.js';
import { type ClusteringScore, clusteringScore } from './clustering-score.js';
import { readJson } from './shared-sessions.js';
import { byPrefix, byTfIdf } from './text-baselines.js';

/** One error text with what it is: `error` and `error_type` of a checker, or `text` and `label` of a person. */
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
    const { data } = Row.safeParse(readJson(line));
    const [text, label] = [data?.error ?? data?.text, data?.error_type ?? data?.label];
    if (text === undefined || text === null || !label)
      throw new Error(`line ${at + 1} has no error (or text) with an error_type (or label)`);
    texts.push(typeof text === 'string' ? text : JSON.stringify(text));
    labels.push(label);
  }
  return { texts, labels };
}

/** Beginnings of these lengths and similarities of these bounds are tried; the best of each is the baseline. */
const PREFIXES = [10, 20, 30, 40, 60, 80, 100];
const BOUNDS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

export interface GroupingScore extends ClusteringScore {
  readonly texts: number;
  readonly labels: number;
  /** Of several settings of a baseline, the one that is best on these very labels: it has seen them, ours has not. */
  readonly prefix: ClusteringScore & { length: number };
  readonly tfIdf: ClusteringScore & { bound: number };
  /** What no grouping of the texts can exceed: equal texts have different labels. */
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

/** The product's own grouping: by class, and within a class by the clusters of templates that the miner makes. */
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
  if (!first) throw new Error('nothing to choose from');
  return rest.reduce((top, score) => (score.ari > top.ari ? score : top), first);
}

/** Every text under the label that most of its equals have. */
function majorityOf(texts: readonly string[], labels: readonly string[]): string[] {
  const counts = new Map<string, Map<string, number>>();
  texts.forEach((text, at) => {
    const own = counts.get(text) ?? new Map<string, number>();
    own.set(labels[at] ?? '', (own.get(labels[at] ?? '') ?? 0) + 1);
    counts.set(text, own);
  });
  return texts.map((text) => [...(counts.get(text) ?? [])].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '');
}
