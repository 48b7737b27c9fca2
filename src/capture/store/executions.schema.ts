import { z } from 'zod';
import { LINE_COUNTS, LINE_FIELDS, linesOf } from '../../platform/http/line-receipt.schema.js';
import { ExecutionReport, REPORT_LIMITS } from '../report/execution-report.schema.js';

export const ReportReceipt = z
  .object({
    id: z.uuid(),
    executionId: z.string(),
    agent: z.string(),
    /** True if this execution was stored before: one execution is stored once. */
    duplicate: z.boolean(),
    /** The number of texts that were withheld as a whole, because they were too long or too costly to scan. */
    withheld: z.int().min(1).optional(),
  })
  .meta({ id: 'ReportReceipt' });
export type ReportReceipt = z.infer<typeof ReportReceipt>;

const exampleLine = (executionId: string): string =>
  JSON.stringify({
    executionId,
    taskId: 'nightly-export',
    taskTitle: 'Run the nightly export',
    status: 'completed',
    startedAt: '2026-11-21T10:00:00.000Z',
    finishedAt: '2026-11-21T10:03:10.000Z',
    verification: { outcome: 'none' },
    terminationReason: 'ended',
    toolCalls: [],
    retryCount: 0,
    maxRetries: 0,
  });

export const ReportLines = linesOf(
  'One report per line, in the same form as a single report',
  ['run-2026-11-21-001', 'run-2026-11-21-002'].map(exampleLine).join('\n'),
);
export type ReportLines = z.infer<typeof ReportLines>;

/** The result for one line of a batch. */
export const LineReceipt = z
  .object({
    ...LINE_FIELDS,
    id: z.uuid().optional(),
    executionId: z.string().optional(),
    /** As for a single report. */
    withheld: z.int().min(1).optional(),
  })
  .meta({ id: 'LineReceipt' });
export type LineReceipt = z.infer<typeof LineReceipt>;

export const BatchReceipt = z
  .object({ agent: z.string(), ...LINE_COUNTS, lines: z.array(LineReceipt) })
  .meta({ id: 'BatchReceipt' });
export type BatchReceipt = z.infer<typeof BatchReceipt>;

export const ExecutionSummary = z
  .object({
    id: z.uuid(),
    /** Reference of the reported id: its readable beginning and a keyed hash. */
    executionId: z.string(),
    agent: z.string(),
    taskTitle: z.string(),
    /** As the agent says. */
    status: z.enum(['completed', 'failed', 'aborted']),
    /** As something other than the agent judged it, else as the agent says. */
    failed: z.boolean(),
    /** The calls that count in it, and those of them that failed. */
    toolCalls: z.int(),
    failedCalls: z.int(),
    /** The calls of its record that count in another session, whose history it repeats. */
    copiedCalls: z.int(),
    redactions: z.int(),
    capture: z.object({ state: z.enum(['pending', 'captured', 'skipped']), reason: z.string().nullable() }),
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
  /** Executions that the evidence of this proposal counts. */
  proposal: z.uuid().optional(),
  /** Executions of the agent of this name. */
  agent: z.string().trim().min(1).max(REPORT_LIMITS.id).optional(),
  /** The id under which an agent reported an execution; two agents can use the same. */
  executionId: z.string().trim().min(1).max(REPORT_LIMITS.id).optional(),
});
export type ExecutionQuery = z.infer<typeof ExecutionQuery>;

/** Progress of capture and proposer. */
export const LearningStatus = z
  .object({
    executions: z.int(),
    awaitingCapture: z.int(),
    awaitingProposal: z.int(),
    skipped: z.array(z.object({ reason: z.string(), count: z.int() })),
  })
  .meta({ id: 'LearningStatus' });
export type LearningStatus = z.infer<typeof LearningStatus>;

/** Number of executions of an agent, and how many of them failed. */
export interface AgentRunCounts {
  readonly agent: string;
  readonly department: string | null;
  readonly runs: number;
  readonly failed: number;
}
