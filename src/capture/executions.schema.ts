import { z } from 'zod';
import { ExecutionReport } from './execution-report.schema.js';

export const Received = z
  .object({
    id: z.uuid(),
    executionId: z.string(),
    agent: z.string(),
    /** True when this execution was here already: one execution is stored once. */
    duplicate: z.boolean(),
  })
  .meta({ id: 'Received' });
export type Received = z.infer<typeof Received>;

export const ExecutionSummary = z
  .object({
    id: z.uuid(),
    executionId: z.string(),
    agent: z.string(),
    taskTitle: z.string(),
    status: z.enum(['completed', 'failed', 'aborted']),
    toolCalls: z.int(),
    failedCalls: z.int(),
    redactions: z.int(),
    capture: z.object({ state: z.enum(['pending', 'captured', 'not_teaching']), reason: z.string().nullable() }),
    finishedAt: z.string(),
    receivedAt: z.string(),
  })
  .meta({ id: 'ExecutionSummary' });
export type ExecutionSummary = z.infer<typeof ExecutionSummary>;

export const ExecutionDetail = ExecutionSummary.extend({ report: ExecutionReport }).meta({ id: 'ExecutionDetail' });
export type ExecutionDetail = z.infer<typeof ExecutionDetail>;

export const ExecutionList = z
  .object({ items: z.array(ExecutionSummary), total: z.int(), next: z.uuid().nullable() })
  .meta({ id: 'ExecutionList' });
export type ExecutionList = z.infer<typeof ExecutionList>;

export const ExecutionQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.uuid().optional(),
});
export type ExecutionQuery = z.infer<typeof ExecutionQuery>;

/** How far the background work has come. */
export const LearningStatus = z
  .object({
    executions: z.int(),
    awaitingCapture: z.int(),
    awaitingProposal: z.int(),
    notTeaching: z.array(z.object({ reason: z.string(), count: z.int() })),
  })
  .meta({ id: 'LearningStatus' });
export type LearningStatus = z.infer<typeof LearningStatus>;

/** How often an agent ran, and how often it did not complete. */
export interface AgentRuns {
  readonly agent: string;
  readonly department: string | null;
  readonly runs: number;
  readonly failed: number;
}
