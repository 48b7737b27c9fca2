import { z } from 'zod';
import { parseAction } from '../src/capture/actions/action.js';
import { classifyError, errorClass, readError } from '../src/capture/errors/error-class.js';
import { parsedCalls } from '../src/capture/observations/observation.js';
import { clusterFailures, type FailureGroup } from '../src/evolve/evidence/family-clusters.js';
import type { FailureIdentity } from '../src/evolve/evidence/family-message.js';
import { parseJson } from '../src/platform/base/parse-json.js';
import { type ClusteringScore, clusteringScore } from './clustering-score.js';
import { readSet, type SetExecution } from './sets/set-reader.js';
import { byPrefix, byTfIdf } from './text-baselines.js';

/** One error text with its label: `error` and `error_type` of a checker, or `text` and `label` of a person. */
const Row = z.looseObject({
  error: z.unknown().optional(),
  text: z.unknown().optional(),
  error_type: z.string().nullish(),
  label: z.string().nullish(),
});

/** A failure with its text and its label. */
export interface LabelledError {
  /** Of a failed call of a set: which one it is. */
  readonly call?: { readonly execution: string; readonly index: number };
  readonly failure: FailureIdentity;
  readonly text: string;
  readonly label: string;
}

/** Error texts with labels, one JSON object a line. Throws for a line without them. */
export function labelledErrors(jsonl: string): LabelledError[] {
  return jsonl.split('\n').flatMap((line, at): LabelledError[] => {
    if (line.trim() === '') return [];
    const { data } = Row.safeParse(parseJson(line));
    const [found, label] = [data?.error ?? data?.text, data?.error_type ?? data?.label];
    if (found === undefined || found === null || !label)
      throw new Error(`line ${at + 1} has no error (or text) with an error_type (or label)`);
    const text = typeof found === 'string' ? found : JSON.stringify(found);
    const { name, template } = errorClass(text);
    return [{ failure: { tool: '', action: '', errorClass: name, template }, text, label }];
  });
}

/** A label of a failed call of a set. */
export interface CallLabel {
  readonly execution: string;
  readonly index: number;
  readonly label: string;
}

/** Reads lines of `execution<tab>index<tab>label` after a heading. Throws for any other line. */
export function callLabels(tsv: string): CallLabel[] {
  const [, ...lines] = tsv.trimEnd().split('\n');
  return lines.map((line, at) => {
    const [, execution, index, label] = /^([^\t]+)\t(\d+)\t(\S+)$/.exec(line.trimEnd()) ?? [];
    if (execution === undefined || label === undefined)
      throw new Error(`line ${at + 2} is not "execution<tab>index<tab>label"`);
    return { execution, index: Number(index), label };
  });
}

/** The labelled calls of a set, as the product stores their failures. `missing`: labels of calls that it does not have. */
export function labelledCalls(
  labels: readonly CallLabel[],
  jsonl: string,
  name: string,
): { errors: LabelledError[]; missing: number } {
  const byId = new Map(readSet(jsonl, name).executions.map((execution) => [execution.row.id, execution]));
  const errors = labels.flatMap(({ execution, index, label }): LabelledError[] => {
    const found = byId.get(execution);
    const error = found === undefined ? undefined : failedCall(found, index);
    return error === undefined ? [] : [{ ...error, label, call: { execution, index } }];
  });
  return { errors, missing: labels.length - errors.length };
}

function failedCall(
  { row, calls, report }: SetExecution,
  index: number,
): Pick<LabelledError, 'failure' | 'text'> | undefined {
  const call = row.calls[index];
  const at = call === undefined ? -1 : calls.indexOf(call);
  const [parsed, stored] = [parsedCalls(report)[at], report.toolCalls[at]];
  if (call === undefined || parsed === undefined || stored === undefined || stored.ok) return undefined;
  const text = call.output;
  if ('failing' in parsed) {
    const { failing, errorClass: name, template } = parsed;
    return { failure: { tool: failing.tool, action: failing.coarse, errorClass: name, template }, text };
  }
  // The product does not learn from it, but a person labelled it.
  const { shape } = parseAction(stored.name, stored.action, stored.arguments);
  const { name, template } = classifyError(
    readError(stored.errorMessage ?? ''),
    stored.errorCategory,
    stored.errorLine,
  );
  return { failure: { tool: shape.tool, action: shape.coarse, errorClass: name, template }, text };
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

/** How well the families of the product agree with the labels. */
export function groupingOf(errors: readonly LabelledError[]): GroupingScore {
  const [texts, labels] = [errors.map(({ text }) => text), errors.map(({ label }) => label)];
  const score = (groups: readonly string[]): ClusteringScore => clusteringScore(groups, labels);
  const prefixes = PREFIXES.map((length) => ({ length, ...score(byPrefix(texts, length)) }));
  const tfIdfs = BOUNDS.map((bound) => ({ bound, ...score(byTfIdf(texts, bound)) }));
  return {
    texts: texts.length,
    labels: new Set(labels).size,
    ...score(familiesOf(errors.map(({ failure }) => failure))),
    prefix: best(prefixes),
    tfIdf: best(tfIdfs),
    ceiling: score(majorityOf(texts, labels)).ari,
  };
}

/** The family of each failure. */
export function familiesOf(failures: readonly FailureIdentity[]): string[] {
  const groups = new Map<string, FailureGroup & { failures: number }>();
  const keys = failures.map((failure) => JSON.stringify(Object.values(failure)));
  failures.forEach((failure, at) => {
    const key = keys[at] ?? '';
    const known = groups.get(key);
    if (known) known.failures += 1;
    else groups.set(key, { ...failure, failures: 1 });
  });
  const familyOf = new Map(
    clusterFailures([...groups.values()]).flatMap(({ key, groups: own }) => own.map((group) => [group, key] as const)),
  );
  return keys.map((key) => {
    const group = groups.get(key);
    return (group && familyOf.get(group)) ?? key;
  });
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
