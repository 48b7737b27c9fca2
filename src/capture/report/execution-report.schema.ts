import { z } from 'zod';

/** Limits of every field of a report. Lengths are in UTF-16 code units. */
export const REPORT_LIMITS = {
  id: 200,
  title: 500,
  description: 4_000,
  action: 1_000,
  errorMessage: 2_000,
  category: 100,
  toolCalls: 5_000,
  sources: 200,
  tags: 20,
  tag: 60,
  checks: 500,
  check: 200,
} as const;

const id = z.string().trim().min(1).max(REPORT_LIMITS.id);
const category = z.string().trim().min(1).max(REPORT_LIMITS.category);
const count = z.int().min(0).max(1_000_000);
const instant = z.iso.datetime({ offset: true });

/** One tool call, in order. `action` is the normalised command or argument shape, never raw tool output. */
export const ToolCall = z.strictObject({
  name: id,
  action: z.string().max(REPORT_LIMITS.action),
  ok: z.boolean(),
  errorCategory: category.optional(),
  errorMessage: z.string().max(REPORT_LIMITS.errorMessage).optional(),
  durationMs: count.optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/**
 * Who confirmed that the execution achieved its goal. `self`, the agent's own claim, never counts towards promotion.
 */
export const Verification = z
  .strictObject({
    outcome: z.enum(['succeeded', 'failed', 'none']),
    source: z.enum(['test', 'ci', 'reward', 'evaluator', 'person', 'self']).optional(),
    /** The single checks, such as tests by name, if the source reports them. */
    checks: z
      .array(z.strictObject({ name: z.string().trim().min(1).max(REPORT_LIMITS.check), ok: z.boolean() }))
      .max(REPORT_LIMITS.checks)
      .optional(),
  })
  .refine((v) => v.checks === undefined || v.source !== undefined, {
    path: ['source'],
    error: 'is required with checks',
  })
  .refine((v) => (v.outcome === 'none') === (v.source === undefined), {
    path: ['source'],
    error: 'is required if outcome is succeeded or failed, and must be absent if it is none',
  });
export type Verification = z.infer<typeof Verification>;

const status = z.enum(['completed', 'failed', 'aborted'], {
  error: (issue) =>
    ['running', 'created', 'planning'].includes(String(issue.input))
      ? `is "${String(issue.input)}": only a finished execution can be reported (completed, failed or aborted)`
      : 'must be one of completed, failed, aborted',
});

/**
 * One finished execution. There is no field for conversation, prompt or raw tool output, and unknown fields are
 * refused: this type is the privacy boundary. The reporter is taken from the credential, never from the report.
 */
export const ExecutionReport = z
  .strictObject({
    executionId: id,
    taskId: id,
    taskTitle: z.string().trim().min(1).max(REPORT_LIMITS.title),
    taskDescription: z.string().max(REPORT_LIMITS.description).optional(),
    taskType: category.optional(),
    sessionId: id.optional(),
    parentExecutionId: id.optional(),
    model: category.optional(),
    startedAt: instant,
    finishedAt: instant,
    status,
    verification: Verification,
    terminationReason: z.string().trim().min(1).max(REPORT_LIMITS.id),
    errorCategory: category.optional(),
    errorMessage: z.string().max(REPORT_LIMITS.errorMessage).optional(),
    missingCapability: z.string().max(REPORT_LIMITS.id).optional(),
    toolCalls: z.array(ToolCall).max(REPORT_LIMITS.toolCalls),
    /**
     * Hashes of the pages, files, repositories and task text that the execution used: `sha256:` + 64 hexadecimal
     * digits.
     */
    sources: z
      .array(z.string().regex(/^sha256:[0-9a-f]{64}$/, { error: 'must be sha256: followed by 64 hex digits' }))
      .max(REPORT_LIMITS.sources)
      .optional(),
    turnCount: count.optional(),
    retryCount: count,
    maxRetries: count,
    qualityScore: z.number().min(0).max(10).optional(),
    tags: z.array(z.string().trim().min(1).max(REPORT_LIMITS.tag)).max(REPORT_LIMITS.tags).optional(),
  })
  // Negated, so that an invalid time only causes the error of its own field.
  .refine((r) => !(Date.parse(r.finishedAt) < Date.parse(r.startedAt)), {
    path: ['finishedAt'],
    error: 'is before startedAt',
  })
  .refine((r) => r.retryCount <= r.maxRetries, { path: ['retryCount'], error: 'is above maxRetries' })
  .meta({ id: 'ExecutionReport' });
export type ExecutionReport = z.infer<typeof ExecutionReport>;
