import { z } from 'zod';

/** Whose word it is. The order of their weight stands in `promote/verdict.ts`. */
export const EvidenceKind = z.enum(['person', 'primary_source', 'tool_result', 'second_model']);
export type EvidenceKind = z.infer<typeof EvidenceKind>;

export const EvidenceStance = z.enum(['supports', 'contradicts', 'unsure']);
export type EvidenceStance = z.infer<typeof EvidenceStance>;

/** Something that speaks for a memory or against it. */
export const ProvenanceEvidence = z.object({
  id: z.uuid(),
  memoryId: z.uuid(),
  kind: EvidenceKind,
  stance: EvidenceStance,
  /** Which person, approval, execution or model. */
  source: z.string(),
  /** False: it is about a part of what the memory says only. */
  whole: z.boolean(),
  /** Whose execution it was; null where it is none. */
  agentId: z.uuid().nullable(),
  owner: z.string().nullable(),
  reason: z.string(),
  at: z.string(),
});
export type ProvenanceEvidence = z.infer<typeof ProvenanceEvidence>;
