import { sumBy } from '../platform/base/sum.js';
import { type DeliveryTally, MOMENTS, type Moment } from '../skills/delivery/delivery-tally.js';
import { type Effect, effectOf } from './effect.js';

/** The deliveries of one arm at one moment. Shares and means are null without anything to divide by. */
export interface MomentArm {
  readonly agents: number;
  readonly deliveries: number;
  /** Those whose session has been reported and shows the failure. */
  readonly judged: number;
  readonly followed: number;
  readonly overcome: number;
  /** Of those in which the action worked in the end. */
  readonly meanCalls: number | null;
  readonly meanSeconds: number | null;
  /** In how many the failure came again in the session, and in a later one of the agent. */
  readonly again: number;
  readonly later: number;
}

/** What was delivered at a moment; after a failure also whether it helps, compared with agents from whom it was withheld. */
export interface MomentEffect {
  readonly moment: Moment;
  readonly delivered: MomentArm;
  readonly withheld: MomentArm;
  /** Failures are those that were not overcome; undefined at other moments. */
  readonly effect: Effect | undefined;
}

/**
 * Effects by moment, those with deliveries. After a failure the unit is the agent, as it is assigned, and the interval
 * holds at every look.
 */
export function momentEffects(tallies: readonly DeliveryTally[]): MomentEffect[] {
  return MOMENTS.flatMap((moment) => {
    const own = tallies.filter((one) => one.moment === moment);
    if (own.length === 0) return [];
    const [delivered, withheld] = [armOf(own, 'delivered'), armOf(own, 'withheld')];
    return [{ moment, delivered, withheld, effect: moment === 'failure' ? effectOf(own.map(agentTally)) : undefined }];
  });
}

const agentTally = ({ agentId, arm, judged, overcome }: DeliveryTally) => ({
  agent: agentId,
  withSkill: arm === 'delivered',
  executions: judged,
  failures: judged - overcome,
});

function armOf(tallies: readonly DeliveryTally[], arm: DeliveryTally['arm']): MomentArm {
  const own = tallies.filter((one) => one.arm === arm);
  const sum = (of: (one: DeliveryTally) => number): number => sumBy(own, of);
  const solved = sum((one) => one.solved);
  const mean = (total: number): number | null => (solved === 0 ? null : total / solved);
  return {
    agents: new Set(own.map(({ agentId }) => agentId)).size,
    deliveries: sum((one) => one.deliveries),
    judged: sum((one) => one.judged),
    followed: sum((one) => one.followed),
    overcome: sum((one) => one.overcome),
    meanCalls: mean(sum((one) => one.calls)),
    meanSeconds: mean(sum((one) => one.seconds)),
    again: sum((one) => one.again),
    later: sum((one) => one.later),
  };
}
