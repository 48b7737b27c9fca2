import { z } from 'zod';
import { Lesson, Provenance, Scope } from './lesson.schema.js';

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
    awaitingProposer: z.boolean(),
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
