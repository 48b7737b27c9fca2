import { z } from 'zod';
import { EvidenceKind, ProvenanceEvidence } from '../memory/provenance/evidence.schema.js';
import { Provenance, Scope } from '../memory/store/lesson.schema.js';
import { UNRESOLVED_REASONS } from './verdict.js';

export const PromotionState = z.enum(['queued', 'unresolved', 'verified']);
export type PromotionState = z.infer<typeof PromotionState>;

/**
 * What a list is limited to. `waiting`: a person's word would let these lessons answer. Their failure came back, they are
 * not verified, nothing speaks against them, and no skill or pending proposal is about the same failure.
 */
export const PromotionListState = z.enum(['waiting', ...PromotionState.options]);
export type PromotionListState = z.infer<typeof PromotionListState>;

export const PromotionTrigger = z.enum(['schedule', 'retrieval', 'person', 'ground']);
export type PromotionTrigger = z.infer<typeof PromotionTrigger>;

/** The promotion of one private memory. */
export const PromotionSummary = z
  .object({
    memory: z.uuid(),
    scope: Scope,
    /** The agent that the memory belongs to; null for a memory of a role or a department. */
    agentId: z.uuid().nullable(),
    discovery: z.string(),
    proposer: z.string(),
    provenance: Provenance,
    state: PromotionState,
    /** Why it is not verified, or the kind of evidence that verified it. */
    because: z.enum([...UNRESOLVED_REASONS, ...EvidenceKind.options]),
    /** What caused the next check, or the last one. */
    trigger: PromotionTrigger,
    /** Checks in a row that resolved nothing. */
    attempts: z.int(),
    /** Sessions in which it was retrieved; the most retrieved memories are checked first. */
    relevanceCount: z.int(),
    /** Executions of its agent that showed the same failure and the same remedy. */
    witnessCount: z.int(),
    queuedAt: z.string(),
    checkedAt: z.string().nullable(),
    dueAt: z.string(),
  })
  .meta({ id: 'PromotionSummary' });
export type PromotionSummary = z.infer<typeof PromotionSummary>;

/** The same with all evidence, and the memories that it rests on. */
export const Promotion = PromotionSummary.extend({
  evidence: z.array(ProvenanceEvidence),
  /** The memories that it was concluded from, directly or through others. They have to be verified first. */
  restsOn: z.array(z.object({ memory: z.uuid(), provenance: Provenance.nullable(), ended: z.boolean() })),
}).meta({ id: 'Promotion' });
export type Promotion = z.infer<typeof Promotion>;

export const PromotionQuery = z.strictObject({
  state: PromotionListState.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** The last memory of the page before. */
  after: z.uuid().optional(),
});
export type PromotionQuery = z.infer<typeof PromotionQuery>;

export const PromotionList = z
  .object({
    items: z.array(PromotionSummary),
    next: z.uuid().nullable(),
    counts: z.record(PromotionListState, z.int()),
  })
  .meta({ id: 'PromotionList' });
export type PromotionList = z.infer<typeof PromotionList>;
