import type { Effect, EffectArm } from './effect.js';

const VERDICTS = {
  helps: 'It helps',
  'no-difference-yet': 'No difference yet',
  harms: 'It harms',
  'not-enough-data': 'Not enough data',
} as const;

/**
 * Describes the effect in one sentence. `compared`: some agents did not receive the skill at some time; `over`: every
 * agent receives it now.
 */
export function describeEffect(effect: Effect, { compared, over }: { compared: boolean; over: boolean }): string {
  if (!compared) return 'Every agent has received it from the start, so there is no comparison.';
  const prefix = over ? 'Every agent receives it now; these figures are from before. ' : '';
  const arms = `the failure occurred in ${describeArm(effect.with)} with it and in ${describeArm(effect.without)} without`;
  return `${prefix}${VERDICTS[effect.verdict]}: ${arms}${describeInterval(effect)}.`;
}

function describeArm({ agents, executions, failures, rate }: EffectArm): string {
  const counts = `${failures} of ${plural(executions, 'execution')} of ${plural(agents, 'agent')}`;
  return rate === null ? counts : `${counts} (${percent(rate)} %)`;
}

function describeInterval({ interval, level }: Effect): string {
  if (!interval) return '';
  const [low, high] = interval;
  return `; the difference is between ${percent(low)} and ${percent(high)} percentage points (${percent(level)} %, at every look)`;
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const percent = (share: number): string => (share * 100).toFixed(1).replace(/\.0$/, '');
