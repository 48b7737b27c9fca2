import { z } from 'zod';
import { redactAndClip } from '../importers/foreign-call.js';
import { CallArgument, ExecutionEnvironment, REPORT_LIMITS } from '../report/execution-report.schema.js';
import { SPAN_KINDS } from './trace-span-kind.js';

const short = z.string().max(200);

/**
 * What is stored of a span or a log record until its execution is reported. There is no field for content: prompts and
 * answers are hashed or dropped, arguments are normalised, and errors keep what a report may hold.
 */
export const SpanFacts = z.strictObject({
  kind: z.enum(SPAN_KINDS),
  /** Set for a log record. A span may say the same, and then the span counts. */
  logged: z.literal(true).optional(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  /** Place among the calls of one message or of one export: quick calls can start in the same millisecond. */
  order: z.int().optional(),
  failed: z.boolean(),
  errorType: short.optional(),
  httpStatus: z.int().optional(),
  errorCategory: short.optional(),
  errorMessage: z.string().max(REPORT_LIMITS.errorMessage).optional(),
  errorLine: z.string().min(1).max(REPORT_LIMITS.errorLine).optional(),
  ran: z.boolean().optional(),
  environment: ExecutionEnvironment.optional(),
  tool: z
    .strictObject({
      name: short,
      action: z.string().max(REPORT_LIMITS.action),
      arguments: z.array(CallArgument).max(REPORT_LIMITS.arguments).optional(),
    })
    .optional(),
  /** As the transcript of the session, and of those that repeat its history, has it. */
  callKey: short.optional(),
  sources: z.array(z.string()).max(20).optional(),
  skill: short.optional(),
  model: short.optional(),
  /** Why the model stopped. */
  finish: short.optional(),
  /** The reference of the conversation's id; in an imported file the id. */
  conversation: short.optional(),
  /** Stands for the text of the task if the conversation has none. */
  conversationTask: z.string().optional(),
  agentName: short.optional(),
  task: z.string().optional(),
  evaluation: z.enum(['succeeded', 'failed']).optional(),
});
export type SpanFacts = z.infer<typeof SpanFacts>;

/** The field, redacted and clipped to what facts may hold; nothing for an absent value. */
export function optionalField<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  // The computed key is K, which the compiler widens to string.
  return (value === undefined ? {} : { [key]: redactAndClip(value, 200) }) as { [P in K]?: string };
}
