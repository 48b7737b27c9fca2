import type { MomentEffect } from '../../effect/effect.schema.js';
import { formatCount } from './terminal.js';

const MOMENTS = {
  start: 'At the start',
  prompt: 'With a prompt',
  failure: 'After a failure',
  refused: 'Refused once',
} as const satisfies Record<MomentEffect['moment'], string>;

const VERDICTS = {
  helps: 'It helps',
  'no-difference-yet': 'No difference yet',
  harms: 'It harms',
  'not-enough-data': 'Not enough data for a verdict',
} as const;

/** Lines for a person: what hooks delivered at a moment, and what became of it. */
export function momentLines({ moment, delivered, withheld, figures }: MomentEffect): string[] {
  const said = `${MOMENTS[moment]}: delivered ${formatCount(delivered.deliveries, 'time')} to ${formatCount(delivered.agents, 'agent')}`;
  if (figures === null) return [`${said}.`];
  const control = withheld.deliveries === 0 ? '' : `, withheld ${formatCount(withheld.deliveries, 'time')}`;
  return [
    `${said}${control}.`,
    ...(delivered.judged > 0 ? [`  ${outcomeOf(delivered)}`] : []),
    ...(withheld.judged > 0 ? [`  Withheld: ${outcomeOf(withheld)}`] : []),
    ...(withheld.judged > 0 ? [`  ${VERDICTS[figures.verdict]}.`] : []),
  ];
}

function outcomeOf({ judged, followed, overcome, meanCalls, again, later }: MomentEffect['delivered']): string {
  const calls = meanCalls === null ? '' : `, on average after ${formatCount(Math.round(meanCalls * 10) / 10, 'call')}`;
  return (
    `${overcome} of ${judged} overcome within five calls${calls}; advice followed ${formatCount(followed, 'time')}; ` +
    `the failure came again in ${formatCount(again, 'session')}, in a later one ${formatCount(later, 'time')}.`
  );
}
