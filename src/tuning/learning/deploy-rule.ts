import { lowerBound } from './bootstrap.js';
import { meanOf } from './ranking-quality.js';
import type { Verdict } from './training-contract.js';

export const MIN_GATE_QUERIES = 50;
export const MIN_PROBE_QUERIES = 30;
/** nDCG@10. */
const MIN_GAIN = 0.01;
const MAX_PROBE_LOSS = 0.005;
const MAX_PROBE_LOSS_BOUND = 0.02;

/** nDCG@10 by query, and the document by which queries are drawn together. */
export interface MeasuredQueries {
  readonly qualities: readonly number[];
  readonly groups: readonly string[];
}

/** A way to answer, measured on the gate and on the probe. */
export interface Measured {
  readonly gate: MeasuredQueries;
  readonly probe: MeasuredQueries;
}

export interface Gains {
  readonly gate: number;
  readonly probe: number;
}

export const gainsOver = (before: Measured, after: Measured): Gains => ({
  gate: meanOf(differences(before, after, 'gate')),
  probe: meanOf(differences(before, after, 'probe')),
});

/**
 * Decides about a deployment. The gate asks for a gain over what is served and over each of `rivals` (what is served, with
 * the best weight); the probe asks that documents without pairs are not harmed. Neither was used to stop or to choose.
 */
export function decide(input: {
  readonly served: Measured;
  readonly rivals: readonly Measured[];
  readonly after: Measured;
  /** The candidate answers as before: nothing was learned. */
  readonly unchanged: boolean;
  readonly seed: number;
}): Verdict {
  const { served, rivals, after, seed } = input;
  const bound = (before: Measured, part: 'gate' | 'probe') =>
    lowerBound(differences(before, after, part), after[part].groups, seed);
  const gateGain = Math.min(...[served, ...rivals].map((before) => gainsOver(before, after).gate));
  const gateLower = Math.min(...[served, ...rivals].map((before) => bound(before, 'gate')));
  const probeGain = gainsOver(served, after).probe;
  const probeLower = bound(served, 'probe');
  const measures = {
    gateQueries: after.gate.groups.length,
    gateBefore: meanOf(served.gate.qualities),
    gateAfter: meanOf(after.gate.qualities),
    gateGain,
    gateLower,
    probeQueries: after.probe.groups.length,
    probeBefore: meanOf(served.probe.qualities),
    probeAfter: meanOf(after.probe.qualities),
    probeGain,
    probeLower,
  };
  const refusals = refusalsOf(measures, input.unchanged);
  const gain = { code: 'gain', text: `Gain ${signed(gateGain)} nDCG@10 on ${after.gate.groups.length} gate queries.` };
  return { deploy: refusals.length === 0, reasons: refusals.length === 0 ? [gain] : refusals, measures };
}

function refusalsOf(
  m: Readonly<Record<'gateQueries' | 'gateGain' | 'gateLower' | 'probeQueries' | 'probeGain' | 'probeLower', number>>,
  unchanged: boolean,
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
    [!unchanged, 'nothing_learned', 'No candidate answers the stop queries better than what is served.'],
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
