import { z } from 'zod';
import { redactAndClip } from '../importers/foreign-call.js';
import { CallArgument, ExecutionEnvironment, REPORT_LIMITS } from '../report/execution-report.schema.js';
import { type Attributes, textAt } from './otlp-attributes.js';

/** `asked` and `answered` are a tool call and its result as the messages of a model tell them. */
const SPAN_KINDS = ['agent', 'tool', 'execution', 'model', 'asked', 'answered', 'other'] as const;

type Kind = (typeof SPAN_KINDS)[number];

/** Values of `gen_ai.operation.name`, old and new. Others, such as embeddings, are not a step of an agent. */
const OPERATIONS: ReadonlyMap<string, Kind> = new Map([
  ['invoke_agent', 'agent'],
  ['invoke_workflow', 'agent'],
  ['execute_tool', 'tool'],
  ['chat', 'model'],
  ['text_completion', 'model'],
  ['generate_content', 'model'],
]);

/** Kinds that OpenInference, OpenLLMetry, LangSmith and Langfuse used before the conventions existed. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['agent', 'agent'],
  ['workflow', 'agent'],
  ['tool', 'tool'],
  ['llm', 'model'],
  ['generation', 'model'],
]);
const KIND_ATTRIBUTES = [
  'openinference.span.kind',
  'traceloop.span.kind',
  'langsmith.span.kind',
  'langfuse.observation.type',
] as const;

/** Values of `span.type` in Claude Code's spans. */
const CLAUDE_CODE: ReadonlyMap<string, Kind> = new Map([
  ['interaction', 'agent'],
  ['tool', 'tool'],
  ['tool.execution', 'execution'],
  ['llm_request', 'model'],
]);

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

/** The kind of a span. Spans of databases and web requests are `other`: only their place in the tree is stored. */
export function kindOfSpan(name: string, attributes: Attributes): Kind {
  const operation = textAt(attributes, 'gen_ai.operation.name');
  const known = operation === undefined ? undefined : OPERATIONS.get(operation);
  if (known !== undefined) return known;
  const type = textAt(attributes, 'span.type');
  if (type !== undefined && name.startsWith('claude_code.')) return CLAUDE_CODE.get(type) ?? 'other';
  for (const attribute of KIND_ATTRIBUTES) {
    const kind = KINDS.get(textAt(attributes, attribute)?.toLowerCase() ?? '');
    if (kind !== undefined) return kind;
  }
  if (operation !== undefined) return 'other';
  if (attributes.has('gen_ai.tool.name')) return 'tool';
  if (attributes.has('gen_ai.tool.call.id')) return 'execution';
  if (attributes.has('gen_ai.request.model') || attributes.has('llm.model_name')) return 'model';
  return 'other';
}
