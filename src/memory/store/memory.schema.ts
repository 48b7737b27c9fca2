import { z } from 'zod';
import { IdPrefix } from '../../platform/base/id-prefix.schema.js';
import { Category, Lesson, Provenance, Scope } from './lesson.schema.js';

const tokens = z.int().min(0).default(0);

/** Tokens and cost of the model call. */
export const LessonCost = z
  .object({
    inputTokens: tokens,
    cacheWriteTokens: tokens,
    cacheReadTokens: tokens,
    outputTokens: tokens,
    /** In US dollars, at the prices of that day. Missing in lessons that are older than this field. */
    usd: z.number().optional(),
  })
  .meta({ id: 'LessonCost' });
export type LessonCost = z.infer<typeof LessonCost>;

/** A memory row as the API returns it: a lesson with its origin, provenance, counters and end. */
export const MemoryEntry = z
  .object({
    id: z.uuid(),
    scope: Scope,
    category: Category,
    agentId: z.uuid().nullable(),
    /** The role or the department whose agents read it; null for every other scope. */
    role: z.string().nullable(),
    department: z.string().nullable(),
    /** The reviewer who shared it with them. */
    sharedById: z.uuid().nullable(),
    lesson: Lesson,
    controlTags: z.array(z.string()),
    provenance: Provenance,
    proposer: z.string(),
    /** True for a placeholder: the rules wrote it while the model was unavailable, and the proposer will try again. */
    awaitingProposer: z.boolean(),
    cost: LessonCost.nullable(),
    sourceExecutionId: z.uuid().nullable(),
    skillName: z.string().nullable(),
    version: z.int().nullable(),
    proposalId: z.uuid().nullable(),
    contentSha256: z.string(),
    applicationCount: z.int(),
    lastAppliedAt: z.string().nullable(),
    /** Number of sessions in which its agent retrieved it; a request without a session counts as one. */
    relevanceCount: z.int(),
    lastRetrievedAt: z.string().nullable(),
    /** Number of executions of its agent that showed the same failure and the same remedy. */
    witnessCount: z.int(),
    lastWitnessedAt: z.string().nullable(),
    /** True if a person pinned it. */
    pinned: z.boolean(),
    /** Id of the other agent's lesson that it is a copy of. */
    propagatedFromId: z.uuid().nullable(),
    endReason: z.string().nullable(),
    createdAt: z.string(),
    supersededAt: z.string().nullable(),
    supersededById: z.uuid().nullable(),
  })
  .meta({ id: 'MemoryEntry' });
export type MemoryEntry = Readonly<z.infer<typeof MemoryEntry>>;

export const LESSON_STATES = ['live', 'ended', 'all'] as const;

export const LessonQuery = z.strictObject({
  /** Only lessons whose id begins so. */
  id: IdPrefix.optional(),
  agent: z.uuid().optional(),
  /** A free tag or a control tag. */
  tag: z.string().trim().min(1).max(60).optional(),
  provenance: Provenance.optional(),
  /** By default the lessons of single agents; `org`: the entries behind approved skills. */
  scope: Scope.default('agent'),
  category: Category.optional(),
  state: z.enum(LESSON_STATES).default('live'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** The last lesson of the page before. */
  after: z.uuid().optional(),
});
export type LessonQuery = z.infer<typeof LessonQuery>;

export const LessonList = z
  .object({
    items: z.array(MemoryEntry),
    /** Over all pages. */
    total: z.int(),
    /** For `after`; null on the last page. */
    next: z.uuid().nullable(),
  })
  .meta({ id: 'LessonList' });
export type LessonList = z.infer<typeof LessonList>;

/** A memory that has ended, with what ended it. It is kept for audit and never recalled. */
export const Tombstone = z
  .object({
    memory: MemoryEntry,
    endedAt: z.string(),
    /** Null if another memory superseded it. */
    reason: z.string().nullable(),
    /** The memory that superseded it; null if none did, or if its row no longer exists. */
    supersededBy: MemoryEntry.nullable(),
    /** Who ended it, and the journal entry that says so; null for data that a restore brought without its journal. */
    endedBy: z
      .object({ kind: z.string(), id: z.string(), name: z.string(), action: z.string(), seq: z.int() })
      .nullable(),
  })
  .meta({ id: 'Tombstone' });
export type Tombstone = z.infer<typeof Tombstone>;

export const TombstoneQuery = z.strictObject({
  agent: z.uuid().optional(),
  scope: Scope.optional(),
  /** Only memories that this one superseded. */
  supersededBy: z.uuid().optional(),
  /** The last memory of the page before: only those behind it. */
  after: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type TombstoneQuery = z.infer<typeof TombstoneQuery>;

/** Newest end first. */
export const TombstoneList = z.object({ items: z.array(Tombstone), total: z.int() }).meta({ id: 'TombstoneList' });
export type TombstoneList = z.infer<typeof TombstoneList>;

export const PinLesson = z.strictObject({ pinned: z.boolean() });
export type PinLesson = z.infer<typeof PinLesson>;

const reason = z.string().trim().min(3, { error: 'must give a reason of at least 3 characters' }).max(500);

/** With which group of its agent a lesson is shared. */
export const ShareLesson = z.strictObject({ scope: z.enum(['role', 'department']), reason });
export type ShareLesson = z.infer<typeof ShareLesson>;

export const UnshareLesson = z.strictObject({ reason });
export type UnshareLesson = z.infer<typeof UnshareLesson>;

export const RetireLesson = z.strictObject({ reason });
export type RetireLesson = z.infer<typeof RetireLesson>;

/** The new texts of a lesson. What is left out stays. */
export const CorrectLesson = z.strictObject({
  discovery: Lesson.shape.discovery.optional(),
  condition: Lesson.shape.activation.shape.condition.optional(),
  action: Lesson.shape.activation.shape.action.optional(),
  rationale: Lesson.shape.activation.shape.rationale.optional(),
  steps: Lesson.shape.steps.optional(),
  tags: Lesson.shape.tags.optional(),
  /** Null removes the cause. */
  cause: z.string().trim().min(1).max(600).nullable().optional(),
  reason,
});
export type CorrectLesson = z.infer<typeof CorrectLesson>;

export const DeleteLesson = z.strictObject({ reason });
export type DeleteLesson = z.infer<typeof DeleteLesson>;

export const VerifyLesson = z.strictObject({ provenance: z.enum(['verified', 'unverified']), reason });
export type VerifyLesson = z.infer<typeof VerifyLesson>;

/** A page of skills by name, after `after`, with `text` in the name or the description. */
export interface SkillPageQuery {
  readonly after?: string | undefined;
  readonly text?: string | undefined;
  readonly limit: number;
}
