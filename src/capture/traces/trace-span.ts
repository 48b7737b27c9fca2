import { z } from 'zod';
import { redactAndClip } from '../importers/foreign-call.js';
import { clipId } from '../importers/foreign-report.js';
import type { FragmentIdentifiers } from '../importers/fragment-format.js';
import { parseJson } from '../importers/import-tally.js';
import { sourcesOfCall, taskHash } from '../importers/task-sources.js';
import { CallArgument, ExecutionEnvironment, REPORT_LIMITS } from '../report/execution-report.schema.js';
import { calledFields, failedFields } from './fragment-call.js';
import type { OtlpSpan } from './otlp.schema.js';
import { type Attributes, attributesOf, eventsOf, type SpanEventFacts, textAt } from './otlp-attributes.js';
import { evaluationOf, promptOf } from './trace-content.js';
import { kindOfSpan, SPAN_KINDS } from './trace-span-kind.js';

const short = z.string().max(200);

/**
 * What is stored of a span until its execution is reported. There is no field for content: prompts and answers are
 * hashed or dropped, arguments are normalised, and errors keep what a report may hold.
 */
export const SpanFacts = z.strictObject({
  kind: z.enum(SPAN_KINDS),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
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

/** A span as a fragment of an execution. Ids are validated or hashed, so that they hold no text from outside. */
export interface SpanFragment {
  readonly trace: string;
  readonly key: string;
  readonly parentKey: string | undefined;
  /** Shared by the spans of one tool call. */
  readonly joinKey: string | undefined;
  readonly facts: SpanFacts;
}

/** `environment`: what the resource of the span says about it. */
export function spanFragment(
  span: OtlpSpan,
  identifiers: FragmentIdentifiers,
  environment: ExecutionEnvironment | undefined,
): SpanFragment {
  const attributes = attributesOf(span.attributes);
  const callId = textAt(attributes, 'gen_ai.tool.call.id', 'tool_use_id', 'tool_call.id');
  return {
    trace: span.traceId.toLowerCase(),
    key: span.spanId.toLowerCase(),
    parentKey: span.parentSpanId?.toLowerCase(),
    joinKey: callId === undefined ? undefined : identifiers.keyOf(callId),
    facts: {
      ...factsOf(span, attributes),
      ...conversationFacts(attributes, identifiers),
      ...(environment === undefined ? {} : { environment }),
    },
  };
}

function factsOf(span: OtlpSpan, attributes: Attributes): SpanFacts {
  const kind = kindOfSpan(span.name, attributes);
  const events = kind === 'other' ? [] : eventsOf(span);
  const name = toolName(span.name, attributes);
  return {
    kind,
    startedAt: new Date(span.startTimeUnixNano).toISOString(),
    endedAt: new Date(Math.max(span.startTimeUnixNano, span.endTimeUnixNano)).toISOString(),
    ...(kind === 'other'
      ? { failed: isDenied(attributes), ...deniedFacts(attributes) }
      : failureFacts(span, attributes, events, name)),
    ...(kind === 'tool' ? toolFacts(name, attributes) : {}),
    ...(kind === 'model' ? modelFacts(attributes, events) : {}),
    ...(kind === 'agent' ? agentFacts(attributes, events) : {}),
  };
}

function conversationFacts(attributes: Attributes, { sessionOf }: FragmentIdentifiers) {
  const conversation = textAt(attributes, 'gen_ai.conversation.id', 'session.id');
  if (conversation === undefined || conversation.trim() === '') return {};
  return { conversation: sessionOf(clipId(conversation)), conversationTask: taskHash(`session ${conversation}`) };
}

function failureFacts(span: OtlpSpan, attributes: Attributes, events: readonly SpanEventFacts[], name: string) {
  const code = span.status?.code;
  const isError = code === 2 || code === 'STATUS_CODE_ERROR';
  const type = textAt(attributes, 'error.type', 'error_type');
  const failed = isError || type !== undefined || attributes.get('success') === false;
  if (!failed) return { failed };
  const exception = events.find((event) => event.name === 'exception')?.attributes ?? new Map();
  const text =
    textAt(attributes, 'error.message', 'error') ??
    textAt(exception, 'exception.message') ??
    span.status?.message ??
    '';
  const status = Number(attributes.get('http.response.status_code') ?? attributes.get('status_code') ?? type);
  const thrown = textAt(exception, 'exception.type') ?? type;
  return {
    failed,
    ...optionalField('errorType', type ?? textAt(exception, 'exception.type')),
    ...(Number.isInteger(status) && status >= 100 && status < 600 ? { httpStatus: status } : {}),
    // "TimeoutError: it took too long" names its kind; a bare message often does not, so the exception's type is put
    // before it
    ...failedFields(
      name,
      inputOf(attributes),
      thrown !== undefined && /Error|Exception/.test(thrown) && !text.includes(thrown) ? `${thrown}: ${text}` : text,
    ),
  };
}

/** Claude Code has a separate span for the question to the user. A denied call never ran. */
const isDenied = (attributes: Attributes): boolean =>
  attributes.get('span.type') === 'tool.blocked_on_user' &&
  /^(?:reject|deny|denied|abort)/.test(textAt(attributes, 'decision') ?? '');

const deniedFacts = (attributes: Attributes) => (isDenied(attributes) ? { errorCategory: 'denied', ran: false } : {});

function toolName(spanName: string, attributes: Attributes): string {
  const given = textAt(attributes, 'gen_ai.tool.name', 'tool_name', 'tool.name', 'traceloop.entity.name');
  return redactAndClip((given ?? spanName.replace(/^execute_tool /, '')).trim(), 200) || 'unnamed';
}

function toolFacts(name: string, attributes: Attributes) {
  const input = inputOf(attributes);
  const sources = sourcesOfCall(name, input).slice(0, 20);
  return {
    tool: { name, ...calledFields(name, input) },
    ...(sources.length === 0 ? {} : { sources }),
    ...optionalField('skill', skillAt(attributes)),
  };
}

const skillAt = (attributes: Attributes) => textAt(attributes, 'skill_name', 'skill.name', 'gen_ai.skill.name');

/** Arguments of a call for which Claude Code has separate attributes. */
const ARGUMENTS = ['file_path', 'subagent_type', 'url', 'pattern', 'path', 'query'] as const;

function inputOf(attributes: Attributes): unknown {
  const command = textAt(attributes, 'full_command', 'bash_command');
  if (command !== undefined) return { command };
  const given = ['gen_ai.tool.call.arguments', 'tool_input', 'input.value', 'traceloop.entity.input']
    .map((name) => attributes.get(name))
    .find((value) => value !== undefined);
  if (given !== undefined) return typeof given === 'string' ? (parseJson(given) ?? given) : given;
  const own: [string, unknown][] = ARGUMENTS.flatMap((name) => {
    const value = attributes.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const skill = skillAt(attributes);
  return Object.fromEntries(skill === undefined ? own : [...own, ['skill', skill]]);
}

function modelFacts(attributes: Attributes, events: readonly SpanEventFacts[]) {
  const prompt = promptOf(attributes, events);
  const reasons = attributes.get('gen_ai.response.finish_reasons');
  const last = Array.isArray(reasons) ? reasons.at(-1) : reasons;
  return {
    ...optionalField(
      'model',
      textAt(attributes, 'gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name', 'model'),
    ),
    ...optionalField(
      'finish',
      typeof last === 'string' ? last : textAt(attributes, 'stop_reason', 'gen_ai.finish_reason'),
    ),
    ...optionalField('skill', skillAt(attributes)),
    ...(prompt === undefined ? {} : { task: taskHash(prompt) }),
  };
}

function agentFacts(attributes: Attributes, events: readonly SpanEventFacts[]) {
  const prompt = promptOf(attributes, events);
  return {
    ...optionalField('agentName', textAt(attributes, 'gen_ai.agent.name', 'agent.name', 'traceloop.entity.name')),
    ...(prompt === undefined ? {} : { task: taskHash(prompt) }),
    ...evaluationOf(events),
  };
}

function optionalField<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  // The computed key is K, which the compiler widens to string.
  return (value === undefined ? {} : { [key]: redactAndClip(value, 200) }) as { [P in K]?: string };
}
