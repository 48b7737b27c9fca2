import { z } from 'zod';
import type { Tx } from '../../platform/database/database.js';
import { Category, LessonParts, Scope } from './lesson.schema.js';
import { LessonCost, type MemoryEntry } from './memory.schema.js';
import type { RecallableMemory } from './recallable-memory.js';

const Steps = z.array(z.string());

export type Row = Awaited<ReturnType<Tx['memory']['findUniqueOrThrow']>>;

/** The columns of a recallable memory. */
export const RECALLABLE_FIELDS = [
  'id',
  'scope',
  'category',
  'agentId',
  'discovery',
  'condition',
  'action',
  'rationale',
  'steps',
  'parts',
  'confidence',
  'tags',
  'controlTags',
  'provenance',
  'proposer',
  'sourceExecutionId',
  'skillName',
  'version',
  'proposalId',
  'propagatedFromId',
  'witnessCount',
  'createdAt',
] as const satisfies readonly (keyof Row)[];

export function toRecallableMemory(row: Pick<Row, (typeof RECALLABLE_FIELDS)[number]>): RecallableMemory {
  return {
    id: row.id,
    // No entry of a session memory passes for a lesson.
    scope: Scope.parse(row.scope),
    category: Category.parse(row.category),
    agentId: row.agentId,
    lesson: {
      discovery: row.discovery,
      activation: { condition: row.condition, action: row.action, rationale: row.rationale },
      // Copied, because arrays that a parser filled keep spare capacity.
      steps: [...Steps.parse(row.steps)],
      confidence: row.confidence,
      tags: [...row.tags],
      ...LessonParts.parse(row.parts ?? {}),
    },
    controlTags: [...row.controlTags],
    provenance: row.provenance,
    proposer: row.proposer,
    sourceExecutionId: row.sourceExecutionId,
    skillName: row.skillName,
    version: row.version,
    proposalId: row.proposalId,
    propagatedFromId: row.propagatedFromId,
    witnessCount: row.witnessCount,
    createdAt: row.createdAt.toISOString(),
  };
}

export function toEntry(row: Row): MemoryEntry {
  return {
    ...toRecallableMemory(row),
    role: row.role,
    department: row.department,
    sharedById: row.sharedById,
    awaitingProposer: row.awaitingProposer,
    cost: row.cost === null ? null : LessonCost.parse(row.cost),
    contentSha256: row.contentSha256,
    applicationCount: row.applicationCount,
    lastAppliedAt: row.lastAppliedAt?.toISOString() ?? null,
    relevanceCount: row.relevanceCount,
    lastRetrievedAt: row.lastRetrievedAt?.toISOString() ?? null,
    lastWitnessedAt: row.lastWitnessedAt?.toISOString() ?? null,
    pinned: row.pinnedAt !== null,
    endReason: row.endReason,
    supersededAt: row.supersededAt?.toISOString() ?? null,
    supersededById: row.supersededById,
  };
}
