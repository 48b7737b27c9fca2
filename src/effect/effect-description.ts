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
  if (!compared) return 'Everybody has received it from the start: there is nobody to compare with.';
  const ended = over ? 'Nobody does without it any more; this is what the comparison showed before. ' : '';
  const arms = `the failure occurred in ${armWords(effect.with)} with it and in ${armWords(effect.without)} without`;
  return `${ended}${VERDICTS[effect.verdict]}: ${arms}${intervalWords(effect)}.`;
}

function armWords({ agents, executions, failures, rate }: EffectArm): string {
  const counts = `${failures} of ${executions} executions of ${agents} agents`;
  return rate === null ? counts : `${counts} (${percent(rate)} %)`;
}

function intervalWords({ interval, level }: Effect): string {
  if (!interval) return '';
  const [low, high] = interval;
  return `; the difference lies between ${percent(low)} and ${percent(high)} points (${percent(level)} %, at every look)`;
}

const percent = (share: number): string => (share * 100).toFixed(1).replace(/\.0$/, '');
