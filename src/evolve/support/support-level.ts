import type { ExecutionObservations } from '../../capture/observations/observation.js';
import type { SupportLevel, SupportUnit } from './support.schema.js';

/**
 * By the agents that reported in the window. Many agents speak for each other; of a few, the projects of each do; one
 * developer has only sessions. Of any unit, each task and each parent task with its sub-agents counts once.
 */
const LEVELS: readonly { readonly from: number; readonly unit: SupportUnit }[] = [
  { from: 10, unit: 'agents' },
  { from: 4, unit: 'projects' },
];
const NEEDED = 3;

/** Parties for which something must have worked before it says something: a reviewer would not accept one. */
export const FEWEST_PARTIES = 2;

/** `agents`: those that reported in the window. `setting`: so many agents in any organisation, or `auto`. */
export function supportLevel(agents: number, setting: number | 'auto'): SupportLevel {
  if (setting !== 'auto') return { unit: 'agents', needed: setting };
  return { unit: LEVELS.find(({ from }) => agents >= from)?.unit ?? 'sessions', needed: NEEDED };
}

/** What an execution counts as one of: executions of one party support a lesson once. */
export function partyOf({ support: { agentId, origin }, projectName = '' }: Supporting, unit: SupportUnit): string {
  if (unit === 'agents') return agentId;
  return unit === 'projects' ? `${agentId} ${projectName}` : origin;
}
type Supporting = Pick<ExecutionObservations, 'projectName'> & {
  readonly support: Pick<ExecutionObservations['support'], 'agentId' | 'origin'>;
};

/**
 * The confidence that a proposal needs. Three sessions of one developer in which a remedy worked, and nothing else was
 * tried, have 80 % only as a person reads it.
 */
export const minConfidence = ({ unit }: SupportLevel, setting: number): number =>
  unit === 'sessions' ? setting - HALF_PERCENT : setting;
const HALF_PERCENT = 0.005;
