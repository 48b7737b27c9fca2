import { describe, expect, it } from '@jest/globals';
import { BASELINE, BIMODAL, HETEROGENEOUS } from './effect-fleet.js';
import { scoreMethods } from './effect-score.js';

/** A few seeds of `npm run bench:effect`. The same seeds give the same fleets, so the results are deterministic. */
const SEEDS = 40;

describe('verdicts on fleets with a planted effect, at repeated looks', () => {
  it('find that a skill helps that prevents 15 failures in 100 executions', () => {
    const { guildbook } = scoreMethods({ agents: 500, effect: 0.15, ...BASELINE }, SEEDS);
    expect(guildbook.atEnd.helps).toBeGreaterThanOrEqual(0.95);
    expect(guildbook.wrong).toBe(0);
    expect(guildbook.missed).toBeLessThanOrEqual(0.05);
  });

  it('find that a skill harms that adds 10 failures in 100 executions', () => {
    const { guildbook } = scoreMethods({ agents: 500, effect: -0.1, ...BASELINE }, SEEDS);
    expect(guildbook.atEnd.harms).toBeGreaterThanOrEqual(0.8);
    expect(guildbook.wrong).toBe(0);
    expect(guildbook.missed).toBeLessThanOrEqual(0.05);
  });

  it('report a false effect in fewer fleets than the level allows, where the textbook test does in most', () => {
    const { guildbook, naive } = scoreMethods({ agents: 500, effect: 0, ...HETEROGENEOUS }, SEEDS);
    expect(guildbook.wrong).toBeLessThanOrEqual(0.05);
    expect(guildbook.atEnd['no-difference-yet']).toBeGreaterThanOrEqual(0.95);
    expect(naive.wrong).toBeGreaterThan(0.5);
  });

  it('do not take a change over time for an effect, as they would with pooled stages', () => {
    const { guildbook, pooled } = scoreMethods({ agents: 500, effect: 0, ...BASELINE, drift: 0.5 }, SEEDS);
    expect(guildbook.wrong).toBeLessThanOrEqual(0.05);
    expect(pooled.wrong).toBeGreaterThan(0.5);
  });

  it('hold if some agents nearly always fail and most never', () => {
    expect(scoreMethods({ agents: 500, effect: 0, ...BIMODAL }, SEEDS).guildbook.wrong).toBeLessThanOrEqual(0.05);
  });

  it('hold in a small fleet, where there is less evidence', () => {
    const { guildbook } = scoreMethods({ agents: 40, effect: 0, ...HETEROGENEOUS }, SEEDS);
    expect(guildbook.wrong).toBeLessThanOrEqual(0.05);
    expect(guildbook.atAnyLook['not-enough-data']).toBe(1);
  });
});
