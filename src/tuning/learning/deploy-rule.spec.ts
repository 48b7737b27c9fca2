import { describe, expect, it } from '@jest/globals';
import { decide, type Measured } from './deploy-rule.js';

const queries = (count: number, quality: (at: number) => number) => ({
  qualities: Array.from({ length: count }, (_, at) => quality(at)),
  groups: Array.from({ length: count }, (_, at) => `d${at}`),
});
const answers = (
  gate: (at: number) => number,
  probe: (at: number) => number,
  [gates, probes] = [100, 60],
): Measured => ({
  gate: queries(gates, gate),
  probe: queries(probes, probe),
});
const half = () => 0.5;
const better = () => 0.55;
const served = answers(half, half);

const codes = (after: Measured, before = served) => {
  const verdict = decide(before, after, 1);
  expect(verdict.deploy).toBe(verdict.reasons.every(({ code }) => code === 'gain'));
  return verdict.reasons.map(({ code }) => code);
};

describe('the rule of deployment', () => {
  it('deploys a gain that is certain and harms no document without pairs', () => {
    expect(codes(answers(better, half))).toEqual(['gain']);
    expect(decide(served, answers(better, half), 1).reasons[0]?.text).toBe('Gain +0.050 nDCG@10 on 100 gate queries.');
  });

  it('refuses with too few queries, however large the gain', () => {
    const few = (gates: number, probes: number) =>
      codes(answers(better, better, [gates, probes]), answers(half, half, [gates, probes]));
    expect(few(49, 60)).toEqual(['too_few_gate_queries']);
    expect(few(50, 29)).toEqual(['too_few_probe_queries']);
    expect(few(50, 30)).toEqual(['gain']);
  });

  it('refuses a small gain and an uncertain one', () => {
    expect(codes(answers(() => 0.509, half))).toEqual(['gain_too_small']);
    // Three queries gain much, the others nothing: another sample might not hold them.
    expect(codes(answers((at) => (at < 3 ? 0.99 : at < 6 ? 0.4 : 0.5), half))).toEqual(['gain_uncertain']);
  });

  it('refuses harm to documents without pairs, and harm that cannot be excluded', () => {
    expect(codes(answers(better, () => 0.494))).toEqual(['probe_harmed']);
    expect(codes(answers(better, (at) => (at % 2 === 0 ? 0.2 : 0.8)))).toEqual(['probe_uncertain']);
  });

  it('measures what it decides by', () => {
    const { measures } = decide(served, answers(better, half), 1);
    expect(measures).toMatchObject({
      gateQueries: 100,
      gateBefore: 0.5,
      probeQueries: 60,
      probeBefore: 0.5,
      probeGain: 0,
    });
    expect(measures.gateGain).toBeCloseTo(0.05, 12);
    expect(measures.gateLower).toBeCloseTo(0.05, 12);
  });
});
