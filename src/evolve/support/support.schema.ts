import { z } from 'zod';

/** What counts as one independent support: an agent, an agent in one project, or one task. */
export const SUPPORT_UNITS = ['agents', 'projects', 'sessions'] as const;
export type SupportUnit = (typeof SUPPORT_UNITS)[number];

/** How often a failure must have been met independently before it is examined, and counted by what. */
export const SupportLevel = z.object({ unit: z.enum(SUPPORT_UNITS), needed: z.int() });
export type SupportLevel = Readonly<z.infer<typeof SupportLevel>>;

/** Of cycles before support had levels. */
const BEFORE_LEVELS: SupportLevel = { unit: 'agents', needed: 3 };

/** A session of one developer counts by its task. */
const UNITS: Readonly<Record<SupportUnit, readonly [preposition: string, one: string, many: string]>> = {
  agents: ['by', 'agent', 'agents'],
  projects: ['in', 'project', 'projects'],
  sessions: ['in', 'task', 'tasks'],
};

const counted = (n: number, [, one, many]: readonly [string, string, string]): string => `${n} ${n === 1 ? one : many}`;

/** "seen by fewer than 3 agents", "seen in fewer than 3 tasks". */
export function tooLittleSupport({ unit, needed }: SupportLevel = BEFORE_LEVELS): string {
  return `seen ${UNITS[unit][0]} fewer than ${counted(needed, UNITS[unit])}`;
}

/** "seen by at least 3 agents". */
export function enoughSupport({ unit, needed }: SupportLevel = BEFORE_LEVELS): string {
  return `seen ${UNITS[unit][0]} at least ${counted(needed, UNITS[unit])}`;
}

/** "by one agent", "in one task". */
export function oneSupport({ unit }: SupportLevel = BEFORE_LEVELS): string {
  const [preposition, one] = UNITS[unit];
  return `${preposition} one ${one}`;
}

/** "in 2 of 3 tasks". */
export function supportReached(reached: number, { unit, needed }: SupportLevel): string {
  return `${UNITS[unit][0]} ${reached} of ${counted(needed, UNITS[unit])}`;
}
