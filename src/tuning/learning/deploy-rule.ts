import { SeededRandom } from '../../platform/base/seeded-random.js';
import { meanOf } from './ranking-quality.js';
import type { Verdict } from './training-contract.js';

export const MIN_GATE_QUERIES = 50;
export const MIN_PROBE_QUERIES = 30;
/** nDCG@10. */
const MIN_GAIN = 0.01;
const MAX_PROBE_LOSS = 0.005;
const MAX_PROBE_LOSS_BOUND = 0.02;

/** nDCG@10 by query, and the document by which queries are drawn together. */
interface MeasuredQueries {
  readonly qualities: readonly number[];
  readonly groups: readonly string[];
}

/** A way to answer, measured on the gate and on the probe. */
export interface Measured {
  readonly gate: MeasuredQueries;
  readonly probe: MeasuredQueries;
}

export const gainsOver = (before: Measured, after: Measured) => ({
  gateGain: meanOf(differences(before, after, 'gate')),
  probeGain: meanOf(differences(before, after, 'probe')),
});

/**
 * Decides about a deployment. The gate asks for a gain over what is served; the probe asks that documents which the fit
 * did not see are not harmed. Neither was used to choose.
 */
export function decide(served: Measured, after: Measured, seed: number): Verdict {
  const bound = (part: 'gate' | 'probe') => lowerBound(differences(served, after, part), after[part].groups, seed);
  const measures = {
    gateQueries: after.gate.groups.length,
    gateBefore: meanOf(served.gate.qualities),
    gateAfter: meanOf(after.gate.qualities),
    gateLower: bound('gate'),
    probeQueries: after.probe.groups.length,
    probeBefore: meanOf(served.probe.qualities),
    probeAfter: meanOf(after.probe.qualities),
    probeLower: bound('probe'),
    ...gainsOver(served, after),
  };
  const refusals = refusalsOf(measures);
  const gain = {
    code: 'gain',
    text: `Gain ${signed(measures.gateGain)} nDCG@10 on ${measures.gateQueries} gate queries.`,
  };
  return { deploy: refusals.length === 0, reasons: refusals.length === 0 ? [gain] : refusals, measures };
}

function refusalsOf(
  m: Readonly<Record<'gateQueries' | 'gateGain' | 'gateLower' | 'probeQueries' | 'probeGain' | 'probeLower', number>>,
): { code: string; text: string }[] {
  const checks: [boolean, string, string][] = [
    [
      m.gateQueries >= MIN_GATE_QUERIES,
      'too_few_gate_queries',
      `${m.gateQueries} gate queries, ${MIN_GATE_QUERIES} needed.`,
    ],
    [
      m.probeQueries >= MIN_PROBE_QUERIES,
      'too_few_probe_queries',
      `${m.probeQueries} probe queries, ${MIN_PROBE_QUERIES} needed.`,
    ],
    [
      m.gateGain >= MIN_GAIN,
      'gain_too_small',
      `Gain ${signed(m.gateGain)} nDCG@10 on the gate, ${signed(MIN_GAIN)} needed.`,
    ],
    [m.gateLower > 0, 'gain_uncertain', `Lower bound of the gain ${signed(m.gateLower)}, more than 0 needed.`],
    [
      m.probeGain >= -MAX_PROBE_LOSS,
      'probe_harmed',
      `Change ${signed(m.probeGain)} nDCG@10 on the probe, at least ${signed(-MAX_PROBE_LOSS)} needed.`,
    ],
    [
      m.probeLower >= -MAX_PROBE_LOSS_BOUND,
      'probe_uncertain',
      `Lower bound on the probe ${signed(m.probeLower)}, at least ${signed(-MAX_PROBE_LOSS_BOUND)} needed.`,
    ],
  ];
  return checks.filter(([holds]) => !holds).map(([, code, text]) => ({ code, text }));
}

const differences = (before: Measured, after: Measured, part: 'gate' | 'probe'): number[] =>
  after[part].qualities.map((quality, at) => quality - (before[part].qualities[at] ?? 0));

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;

const SAMPLES = 1_000;
const QUANTILE = 0.05;

/**
 * The one-sided 95 % lower bound of the mean, by drawing whole groups with replacement (Efron): queries of one document
 * are not independent. The same seed gives the same bound. Without values it is 0.
 */
export function lowerBound(values: readonly number[], groups: readonly string[], seed: number): number {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const [at, value] of values.entries()) {
    const group = sums.get(groups[at] ?? '') ?? { sum: 0, count: 0 };
    group.sum += value;
    group.count += 1;
    sums.set(groups[at] ?? '', group);
  }
  const list = [...sums.values()];
  if (list.length === 0) return 0;
  const random = new SeededRandom(seed ^ 0x5eed);
  const means = Float64Array.from({ length: SAMPLES }, () => {
    let [sum, count] = [0, 0];
    for (let drawn = 0; drawn < list.length; drawn++) {
      const group = list[random.below(list.length)];
      sum += group?.sum ?? 0;
      count += group?.count ?? 0;
    }
    return sum / count;
  }).sort();
  return means[SAMPLES * QUANTILE] ?? 0;
}
