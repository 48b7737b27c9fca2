import { describe, expect, it } from '@jest/globals';
import { PatternEvidence } from './pattern-evidence.js';

const trial = (n: number) => ({ how: 'replace', coarse: `way-${n}`, fine: `way-${n}`, worked: true }) as const;
const BOUND = 300;

describe('the limits of pattern evidence', () => {
  it('leave out further approaches, and keep the recorded counts correct after removals', () => {
    const evidence = new PatternEvidence();
    for (let n = 0; n < BOUND + 50; n += 1) evidence.addTrial(trial(n), n, false);
    evidence.addTrial(trial(7), 1_000, false);
    expect(evidence.trials.size).toBe(BOUND);
    // Removing a trial that was not recorded must not change the others.
    for (let n = BOUND; n < BOUND + 50; n += 1) evidence.addTrial(trial(n), n, false, -1);
    expect(evidence.trials.size).toBe(BOUND);
    const [seventh] = [...evidence.trials.values()].filter(({ coarse }) => coarse === 'way-7');
    expect(seventh).toMatchObject({ tries: 2, successes: 2 });
    expect(seventh?.agents.size).toBe(2);
  });

  it('admit an approach later once there is room, with its counts from then on', () => {
    const [slid, fresh] = [new PatternEvidence(), new PatternEvidence()];
    for (let n = 0; n < BOUND; n += 1) slid.addTrial(trial(n), n, false);
    slid.addTrial(trial(BOUND), 1, false);
    slid.addTrial(trial(0), 0, false, -1);
    slid.addTrial(trial(BOUND), 2, false);
    for (let n = 1; n < BOUND; n += 1) fresh.addTrial(trial(n), n, false);
    for (const agent of [1, 2]) fresh.addTrial(trial(BOUND), agent, false);
    const last = ({ trials }: PatternEvidence) => [...trials.values()].find(({ coarse }) => coarse === `way-${BOUND}`);
    expect(last(slid)?.tries).toBe(1);
    expect(last(fresh)?.tries).toBe(2);
    expect(slid.trials.size).toBe(fresh.trials.size);
  });
});
