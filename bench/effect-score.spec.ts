import { describe, expect, it } from '@jest/globals';
import { BASELINE, BIMODAL, HETEROGENEOUS } from './effect-fleet.js';
import { scoreMethods } from './effect-score.js';

/** A few seeds of `npm run bench:effect`; the same seeds give the same fleets, so that nothing here is left to chance. */
const SEEDS = 40;

describe('verdicts on fleets with a planted effect, looked at again and again', () => {
  it('say that a skill that prevents 15 failures in 100 executions helps', () => {
    const { guildbook } = scoreMethods({ agents: 500, effect: 0.15, ...BASELINE }, SEEDS);
    expect(guildbook.atEnd.helps).toBeGreaterThanOrEqual(0.95);
    expect(guildbook.wrong).toBe(0);
    expect(guildbook.missed).toBeLessThanOrEqual(0.05);
  });

  it('say that a skill that adds 10 failures in 100 executions harms', () => {
    const { guildbook } = scoreMethods({ agents: 500, effect: -0.1, ...BASELINE }, SEEDS);
    expect(guildbook.atEnd.harms).toBeGreaterThanOrEqual(0.8);
    expect(guildbook.wrong).toBe(0);
    expect(guildbook.missed).toBeLessThanOrEqual(0.05);
  });

  it('take a skill without an effect for one in fewer fleets than the level allows, where the textbook does in most', () => {
    const { guildbook, naive } = scoreMethods({ agents: 500, effect: 0, ...HETEROGENEOUS }, SEEDS);
    expect(guildbook.wrong).toBeLessThanOrEqual(0.05);
    expect(guildbook.atEnd['no-difference-yet']).toBeGreaterThanOrEqual(0.95);
    expect(naive.wrong).toBeGreaterThan(0.5);
  });

  it('do not take a change over time for an effect, as they would without the stages', () => {
    const { guildbook, pooled } = scoreMethods({ agents: 500, effect: 0, ...BASELINE, drift: 0.5 }, SEEDS);
    expect(guildbook.wrong).toBeLessThanOrEqual(0.05);
    expect(pooled.wrong).toBeGreaterThan(0.5);
  });

  it('hold when some agents nearly always fail and most never', () => {
    expect(scoreMethods({ agents: 500, effect: 0, ...BIMODAL }, SEEDS).guildbook.wrong).toBeLessThanOrEqual(0.05);
  });

  it('hold in a small fleet, too, where there is less to say', () => {
    const { guildbook } = scoreMethods({ agents: 40, effect: 0, ...HETEROGENEOUS }, SEEDS);
    expect(guildbook.wrong).toBeLessThanOrEqual(0.05);
    expect(guildbook.atAnyLook['not-enough-data']).toBe(1);
  });
});
