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
  arguments: 40,
  argumentKey: 80,
  argumentValue: 200,
  fileKind: 20,
  errorLine: 300,
  interpreters: 20,
  version: 60,
  label: 120,
} as const;

const id = z.string().trim().min(1).max(REPORT_LIMITS.id);
const category = z.string().trim().min(1).max(REPORT_LIMITS.category);
const count = z.int().min(0).max(1_000_000);
const instant = z.iso.datetime({ offset: true });

/**
 * One argument of a tool call. A value that is content (the text of a file, a prompt, a message, an edit) is left out:
 * its type, its length in characters and the kind of file say what it was.
 */
export const CallArgument = z.strictObject({
  key: z.string().trim().min(1).max(REPORT_LIMITS.argumentKey),
  type: z.enum(['text', 'number', 'boolean', 'list', 'object', 'null']),
  value: z.string().max(REPORT_LIMITS.argumentValue).optional(),
  length: count.optional(),
  /** The extension of the file that it is about, such as `.py`. */
  fileKind: z.string().trim().min(1).max(REPORT_LIMITS.fileKind).optional(),
});
export type CallArgument = z.infer<typeof CallArgument>;

/** One tool call, in order. `action` is the redacted command or argument shape, never raw tool output. */
export const ToolCall = z.strictObject({
  name: id,
  action: z.string().max(REPORT_LIMITS.action),
  ok: z.boolean(),
  errorCategory: category.optional(),
  errorMessage: z.string().max(REPORT_LIMITS.errorMessage).optional(),
  durationMs: count.optional(),
  /** The line of the error that says why the call failed. */
  errorLine: z.string().trim().min(1).max(REPORT_LIMITS.errorLine).optional(),
  arguments: z.array(CallArgument).max(REPORT_LIMITS.arguments).optional(),
  /** The call's place among the calls of one reply of the model, from 1, and their number. */
  reply: z.strictObject({ position: z.int().min(1).max(10_000), calls: z.int().min(1).max(10_000) }).optional(),
  /** False if the harness refused the call, so that it never ran. Unknown if absent. */
  ran: z.boolean().optional(),
  /** Records between the call before and this one were lost, so that nothing is derived over them. */
  afterHole: z.literal(true).optional(),
  /** The result is among records that were lost: `ok` says nothing. */
  resultLost: z.literal(true).optional(),
});
/** `copied`: set by the server on a call that counts in another session. No report can say it. */
export type ToolCall = z.infer<typeof ToolCall> & { readonly copied?: true };

const label = z.string().trim().min(1).max(REPORT_LIMITS.label);
const version = z.string().trim().min(1).max(REPORT_LIMITS.version);

/** Where the execution ran, as far as it is known. */
export const ExecutionEnvironment = z.strictObject({
  /** The agent product, such as `claude-code`. */
  harness: label.optional(),
  harnessVersion: version.optional(),
  /** Such as `linux`, `macOS 14.1`. */
  operatingSystem: label.optional(),
  /** Versions of interpreters and tools that the execution printed: `python` 2.7.3. */
  interpreters: z
    .array(z.strictObject({ name: label, version }))
    .max(REPORT_LIMITS.interpreters)
    .optional(),
  /** The project's label, without the folders above it. */
  project: label.optional(),
  /** Such as `acme/shop`, without a host. */
  repository: label.optional(),
});
export type ExecutionEnvironment = z.infer<typeof ExecutionEnvironment>;

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
    environment: ExecutionEnvironment.optional(),
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
     * For each call, where the record tells, the hash of what the record says of it: its id, its time and its input. The
     * record of a resumed or forked session repeats its history, and a call that two of them hold counts once.
     */
    callKeys: z
      .array(z.string().regex(/^(?:[0-9a-f]{32})?$/, { error: 'must be 32 hex digits, or empty' }))
      .max(REPORT_LIMITS.toolCalls)
      .optional(),
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
  .refine((r) => r.callKeys === undefined || r.callKeys.length === r.toolCalls.length, {
    path: ['callKeys'],
    error: 'must have one entry for each tool call',
  })
  .meta({ id: 'ExecutionReport' });
export type ExecutionReport = z.infer<typeof ExecutionReport>;
