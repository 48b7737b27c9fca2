import { z } from 'zod';
import { EvidenceKind, ProvenanceEvidence } from '../memory/provenance/evidence.schema.js';
import { Provenance, Scope } from '../memory/store/lesson.schema.js';
import { UNRESOLVED_REASONS } from './verdict.js';

export const PromotionState = z.enum(['queued', 'unresolved', 'verified']);
export type PromotionState = z.infer<typeof PromotionState>;

export const PromotionTrigger = z.enum(['schedule', 'retrieval', 'person', 'ground']);
export type PromotionTrigger = z.infer<typeof PromotionTrigger>;

/** A private memory on its way to be verified, or not. */
export const PromotionSummary = z
  .object({
    memory: z.uuid(),
    scope: Scope,
    /** The agent whose memory it is; null where it is a role's or a department's. */
    agentId: z.uuid().nullable(),
    discovery: z.string(),
    proposer: z.string(),
    provenance: Provenance,
    state: PromotionState,
    /** Why it is not verified, or the kind of evidence that verified it. */
    because: z.enum([...UNRESOLVED_REASONS, ...EvidenceKind.options]),
    /** Why it is looked at next, or was last. */
    trigger: PromotionTrigger,
    /** Checks in a row that resolved nothing. */
    attempts: z.int(),
    /** Sessions in which it was retrieved: what is hot is checked first. */
    relevanceCount: z.int(),
    queuedAt: z.string(),
    checkedAt: z.string().nullable(),
    dueAt: z.string(),
  })
  .meta({ id: 'PromotionSummary' });
export type PromotionSummary = z.infer<typeof PromotionSummary>;

/** The same with all evidence, and what it rests on. */
export const Promotion = PromotionSummary.extend({
  evidence: z.array(ProvenanceEvidence),
  /** What it was concluded from, directly and through others: the chain that has to resolve first. */
  restsOn: z.array(z.object({ memory: z.uuid(), provenance: Provenance.nullable(), ended: z.boolean() })),
}).meta({ id: 'Promotion' });
export type Promotion = z.infer<typeof Promotion>;

export const PromotionQuery = z.strictObject({
  state: PromotionState.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** The memory that the page before ended with. */
  after: z.uuid().optional(),
});
export type PromotionQuery = z.infer<typeof PromotionQuery>;

export const PromotionList = z
  .object({ items: z.array(PromotionSummary), next: z.uuid().nullable(), counts: z.record(PromotionState, z.int()) })
  .meta({ id: 'PromotionList' });
export type PromotionList = z.infer<typeof PromotionList>;
