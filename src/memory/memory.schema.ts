import { z } from 'zod';
import { Lesson, Provenance, Scope } from './lesson.schema.js';

const tokens = z.int().min(0).default(0);

/** What the model took for it. */
export const LessonCost = z
  .object({
    inputTokens: tokens,
    cacheWriteTokens: tokens,
    cacheReadTokens: tokens,
    outputTokens: tokens,
    /** At the prices of that day; missing in lessons of before they were counted. */
    usd: z.number().optional(),
  })
  .meta({ id: 'LessonCost' });
export type LessonCost = z.infer<typeof LessonCost>;

/** A memory entry with where it came from. */
export const MemoryEntry = z
  .object({
    id: z.uuid(),
    scope: Scope,
    agentId: z.uuid().nullable(),
    lesson: Lesson,
    controlTags: z.array(z.string()),
    provenance: Provenance,
    proposer: z.string(),
    /** True: the rules wrote it while the model could not be asked, and it will be proposed again. */
    awaitingProposer: z.boolean(),
    cost: LessonCost.nullable(),
    sourceExecutionId: z.uuid().nullable(),
    skillName: z.string().nullable(),
    version: z.int().nullable(),
    approvalId: z.uuid().nullable(),
    contentSha256: z.string(),
    applicationCount: z.int(),
    lastAppliedAt: z.string().nullable(),
    createdAt: z.string(),
    supersededAt: z.string().nullable(),
    supersededById: z.uuid().nullable(),
  })
  .meta({ id: 'MemoryEntry' });
export type MemoryEntry = z.infer<typeof MemoryEntry>;

export const LessonQuery = z.strictObject({
  agent: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type LessonQuery = z.infer<typeof LessonQuery>;

export const LessonList = z.object({ items: z.array(MemoryEntry), total: z.int() }).meta({ id: 'LessonList' });
export type LessonList = z.infer<typeof LessonList>;
