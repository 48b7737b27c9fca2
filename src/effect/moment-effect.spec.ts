import { describe, expect, it } from '@jest/globals';
import type { DeliveryTally } from '../skills/delivery/delivery-tally.js';
import { momentEffects } from './effects.service.js';

const tally = (agentId: string, arm: DeliveryTally['arm'], overcome: number, judged = 20): DeliveryTally => ({
  agentId,
  moment: 'failure',
  arm,
  deliveries: judged + 2,
  judged,
  followed: overcome,
  overcome,
  calls: overcome * 2,
  seconds: overcome * 10,
  solved: overcome,
  again: judged - overcome,
  later: 1,
});
const agents = (arm: DeliveryTally['arm'], overcome: number) =>
  Array.from({ length: 12 }, (_, n) => tally(`${arm} ${n}`, arm, overcome));

describe('the effect of a lesson by moment', () => {
  it('is missing at a moment without a delivery', () => {
    expect(momentEffects([])).toEqual([]);
  });

  it('helps if failures are overcome more often by agents that received it', () => {
    const [effect] = momentEffects([...agents('delivered', 16), ...agents('withheld', 4)]);
    expect(effect).toMatchObject({
      moment: 'failure',
      delivered: { agents: 12, deliveries: 264, judged: 240, overcome: 192, meanCalls: 2, meanSeconds: 10, later: 12 },
      withheld: { overcome: 48 },
      effect: { verdict: 'helps' },
    });
  });

  it('harms if they are overcome less often', () => {
    const [effect] = momentEffects([...agents('delivered', 4), ...agents('withheld', 16)]);
    expect(effect?.effect?.verdict).toBe('harms');
  });

  it('has no verdict without a control group, and no means where nothing was solved', () => {
    const [effect] = momentEffects(agents('delivered', 0));
    expect(effect).toMatchObject({ delivered: { meanCalls: null, meanSeconds: null } });
    expect(effect?.effect?.verdict).toBe('not-enough-data');
  });

  it('counts what was delivered at a start, without a comparison', () => {
    const [effect] = momentEffects([{ ...tally('Ada', 'delivered', 0, 0), moment: 'start' }]);
    expect(effect).toMatchObject({ moment: 'start', delivered: { deliveries: 2 }, effect: undefined });
  });
});
