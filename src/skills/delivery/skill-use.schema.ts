import { z } from 'zod';

export const USE_EVENTS = ['offered', 'loaded', 'applied'] as const;
export const USE_OUTCOMES = ['success', 'failure', 'unknown'] as const;

/** An agent was offered a skill, loaded its file, or applied it, in one of its executions. */
export const SkillUse = z
  .strictObject({
    /** As in the report of the execution, which may arrive before or after this. */
    executionId: z.string().trim().min(1).max(200),
    event: z.enum(USE_EVENTS),
    at: z.iso.datetime({ offset: true }),
    /** Outcome as far as the reporter knows; the report of the execution overrules it. */
    outcome: z.enum(USE_OUTCOMES).default('unknown'),
    /** If left out, the version that was live at that time. */
    version: z.int().min(1).max(1_000_000).optional(),
  })
  .meta({ id: 'SkillUse' });
export type SkillUse = z.infer<typeof SkillUse>;
export type NewSkillUse = z.input<typeof SkillUse>;

/** The stored use. If it was reported before, the first report is kept. */
export const SkillUseResult = z
  .object({
    skill: z.string(),
    version: z.int(),
    agent: z.string(),
    executionId: z.string(),
    event: z.enum(USE_EVENTS),
    outcome: z.enum(USE_OUTCOMES),
    at: z.string(),
    duplicate: z.boolean(),
  })
  .meta({ id: 'UseReceived' });
export type SkillUseResult = z.infer<typeof SkillUseResult>;
