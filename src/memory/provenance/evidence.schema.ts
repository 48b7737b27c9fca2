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
  /** The execution that it comes from; this and the next three are null if it comes from none. */
  executionId: z.uuid().nullable(),
  agentId: z.uuid().nullable(),
  /** The stated owner of the agent when the execution was reported; null if none was stated. */
  owner: z.string().nullable(),
  /** The agent, service or person whose credential reported the execution. */
  reporterId: z.uuid().nullable(),
  reason: z.string(),
  at: z.string(),
});
export type ProvenanceEvidence = z.infer<typeof ProvenanceEvidence>;

/** The origin of evidence that comes from no execution. */
export const FROM_NO_EXECUTION = { executionId: null, agentId: null, owner: null, reporterId: null } as const;
