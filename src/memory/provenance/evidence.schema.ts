import { z } from 'zod';

/** Kind of source. `promote/verdict.ts` defines their order of weight. */
export const EvidenceKind = z.enum(['person', 'primary_source', 'tool_result', 'second_model']);
export type EvidenceKind = z.infer<typeof EvidenceKind>;

export const EvidenceStance = z.enum(['supports', 'contradicts', 'unsure']);
export type EvidenceStance = z.infer<typeof EvidenceStance>;

/** One piece of evidence for or against a memory. */
export const ProvenanceEvidence = z.object({
  id: z.uuid(),
  memoryId: z.uuid(),
  kind: EvidenceKind,
  stance: EvidenceStance,
  /** Id of the person, proposal, execution or model. */
  source: z.string(),
  /** False if it covers only a part of the memory's statement. */
  whole: z.boolean(),
  /** Agent of the execution that it comes from; null if it comes from no execution. */
  agentId: z.uuid().nullable(),
  owner: z.string().nullable(),
  reason: z.string(),
  at: z.string(),
});
export type ProvenanceEvidence = z.infer<typeof ProvenanceEvidence>;
