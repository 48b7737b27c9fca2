import { z } from 'zod';
import { LiveCheck } from '../delivery/live-check.schema.js';
import { Percent } from '../delivery/rollout.schema.js';

/** An approved skill: its description, its approval, and its state in git. */
export const SkillSummary = z
  .object({
    name: z.string(),
    version: z.int(),
    discovery: z.string(),
    provenance: z.literal('verified'),
    proposalId: z.uuid(),
    artifactSha256: z.string(),
    approvedBy: z.string(),
    approvedAt: z.string(),
    publication: z.object({
      state: z.enum(['pending', 'published']),
      commit: z.string().nullable(),
      path: z.string(),
      lastError: z.string().nullable(),
    }),
    /** Null for one without a check, such as a person's own text. */
    check: LiveCheck.nullable(),
    /** Percentage of the agents that receive it. */
    percent: Percent,
    /** Only agents of this owner receive it, until agents of another owner support it; null if it is for all. */
    onlyOwner: z.string().nullable(),
    applicationCount: z.int(),
    lastAppliedAt: z.string().nullable(),
  })
  .meta({ id: 'SkillSummary' });
export type SkillSummary = z.infer<typeof SkillSummary>;

export const SkillList = z.object({ items: z.array(SkillSummary), total: z.int() }).meta({ id: 'SkillList' });
export type SkillList = z.infer<typeof SkillList>;

export const Skill = SkillSummary.extend({
  /** The SKILL.md, byte for byte as approved and committed, followed by the reference files of a long skill. */
  artifact: z.string(),
  /** The commits that changed it, newest first. */
  history: z.array(z.object({ commit: z.string(), author: z.string(), when: z.string(), subject: z.string() })),
}).meta({ id: 'Skill' });
export type Skill = z.infer<typeof Skill>;
