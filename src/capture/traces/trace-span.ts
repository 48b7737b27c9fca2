import { z } from 'zod';
import { lenient, text } from '../../platform/base/lenient.schema.js';
import { optional } from '../../platform/base/optional.js';
import { redactAndClip } from '../importers/foreign-call.js';
import { clipId } from '../importers/foreign-report.js';
import type { FragmentIdentifiers, FragmentSignal } from '../importers/fragment-format.js';
import { parseJson } from '../importers/import-tally.js';
import { taskHash, taskOf } from '../importers/task-sources.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import type { ExecutionEnvironment } from '../report/execution-report.schema.js';
import { failureFacts, skillAt, toolFacts, toolName } from './call-attributes.js';
import { failedFields } from './fragment-call.js';
import type { OtlpSpan } from './otlp.schema.js';
import {
  type Attribute,
  type Attributes,
  attributesOf,
  eventsOf,
  type SpanEventFacts,
  textAt,
} from './otlp-attributes.js';
import { kindOfSpan, optionalField, type SpanFacts } from './span-facts.js';
import {
  conversationOf,
  productOfSpan,
  productSession,
  type RecordPlace,
  sessionPlace,
  TRACE_FORMAT,
} from './telemetry-product.js';
import { type AnsweredCall, type AskedCall, callsInMessages } from './trace-messages.js';

/**
 * The fragments of a span: its own, and those of the calls in the messages of a request to a model. `environment`: what
 * the resource of the span says about it. `place`: of the span in its export, which has calls in the order of their ends.
 */
export function spanFragments(
  span: OtlpSpan,
  identifiers: FragmentIdentifiers,
  environment: ExecutionEnvironment | undefined,
  place: number,
): RecordFragment[] {
  const attributes = attributesOf(span.attributes);
  const product = productOfSpan(span.name, attributes);
  const session = sessionPlace(product, attributes, identifiers);
  const callId = textAt(attributes, 'gen_ai.tool.call.id', 'tool_use_id', 'tool_call.id');
  const facts = factsOf(span, attributes);
  const keyOf = (spanId: string): string => spanKey(session !== undefined, span.traceId, spanId);
  const parentKey = span.parentSpanId === undefined ? undefined : keyOf(span.parentSpanId);
  const fragment: RecordFragment = {
    ...(session ?? { format: TRACE_FORMAT, key: span.traceId.toLowerCase() }),
    fragmentKey: keyOf(span.spanId),
    parentKey,
    joinKey: callId === undefined ? undefined : identifiers.keyOf(callId),
    signal: signalOf(facts.kind, parentKey, session !== undefined),
    facts: {
      ...facts,
      ...(facts.kind === 'tool' ? { order: place } : {}),
      ...conversationFacts(
        session === undefined ? conversationOf(attributes) : productSession(attributes),
        identifiers,
      ),
      ...optional('environment', environment),
    },
  };
  if (facts.kind !== 'model') return [fragment];
  return [fragment, ...messageFragments(fragment, attributes, eventsOf(span), identifiers)];
}

/**
 * A span is sent after its end: the end of the root ends the trace, and the end of an agent's span may end its
 * execution. The root of a product's trace is one prompt of a session, which may go on.
 */
function signalOf(kind: SpanFacts['kind'], parentKey: string | undefined, isOfSession: boolean): FragmentSignal {
  if (isOfSession) return kind === 'agent' && parentKey === undefined ? 'paused' : 'none';
  if (parentKey === undefined) return 'ended';
  return kind === 'agent' ? 'paused' : 'none';
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
      : failureFacts({ isError: isError(span), message: span.status?.message, events }, attributes, name)),
    ...(kind === 'tool' ? toolFacts(name, attributes) : {}),
    ...(kind === 'model' ? modelFacts(attributes, events) : {}),
    ...(kind === 'agent' ? agentFacts(attributes, events) : {}),
  };
}

const isError = ({ status }: OtlpSpan): boolean => status?.code === 2 || status?.code === 'STATUS_CODE_ERROR';

/** Claude Code has a separate span for the question to the user. A denied call never ran. */
const isDenied = (attributes: Attributes): boolean =>
  attributes.get('span.type') === 'tool.blocked_on_user' &&
  /^(?:reject|deny|denied|abort)/.test(textAt(attributes, 'decision') ?? '');

const deniedFacts = (attributes: Attributes) => (isDenied(attributes) ? { errorCategory: 'denied', ran: false } : {});

/** What may be stored of a request to a model. */
export function modelFacts(attributes: Attributes, events: readonly SpanEventFacts[]) {
  const reasons = attributes.get('gen_ai.response.finish_reasons');
  const last = Array.isArray(reasons) ? reasons.at(-1) : reasons;
  return {
    ...optionalField(
      'model',
      textAt(attributes, 'gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name', 'model'),
    ),
    ...optionalField(
      'finish',
      typeof last === 'string' ? last : textAt(attributes, 'stop_reason', 'gen_ai.finish_reason', 'llm.finish_reason'),
    ),
    ...optionalField('skill', skillAt(attributes)),
    ...taskOf(promptOf(attributes, events)),
  };
}

function agentFacts(attributes: Attributes, events: readonly SpanEventFacts[]) {
  return {
    ...optionalField('agentName', textAt(attributes, 'gen_ai.agent.name', 'agent.name', 'traceloop.entity.name')),
    ...taskOf(promptOf(attributes, events)),
    ...evaluationOf(events),
  };
}

/** The calls and results in the messages of a request to a model, each as a fragment beside that of the request. */
export function messageFragments(
  request: RecordFragment,
  attributes: Attributes,
  events: readonly SpanEventFacts[],
  identifiers: FragmentIdentifiers,
): RecordFragment[] {
  const { asked, answered } = callsInMessages(attributes, events);
  const ids = new Map<string, number>();
  const fragment = (kind: 'asked' | 'answered', id: string, at: string, facts: Partial<SpanFacts>): RecordFragment => ({
    ...request,
    fragmentKey: identifiers.keyOf(kind, request.fragmentKey, id, ...repeated(ids, `${kind} ${id}`)),
    parentKey: request.fragmentKey,
    joinKey: identifiers.keyOf(id),
    signal: 'none',
    facts: { kind, startedAt: at, endedAt: at, failed: false, ...facts },
  });
  return [
    ...asked.map((call, order) => fragment('asked', call.id, request.facts.endedAt, { ...calledFacts(call), order })),
    ...answered.map((one, order) =>
      fragment('answered', one.id, request.facts.startedAt, { ...answeredFacts(one), order }),
    ),
  ];
}

/** Tells calls of one message apart that have the same id. */
function repeated(ids: Map<string, number>, id: string): string[] {
  const before = ids.get(id) ?? 0;
  ids.set(id, before + 1);
  return before === 0 ? [] : [String(before)];
}

const nameOf = ({ name }: AskedCall): string => redactAndClip(name.trim(), 200) || 'unnamed';

const calledFacts = (call: AskedCall): Partial<SpanFacts> => toolFacts(nameOf(call), new Map(), call.input);

function answeredFacts({ call, text, failed: marked }: AnsweredCall): Partial<SpanFacts> {
  const name = call === undefined ? 'unnamed' : nameOf(call);
  const read = readUnmarked(name, text);
  const failed = marked ?? read.failed;
  return {
    failed,
    ...(call === undefined ? {} : calledFacts(call)),
    ...(failed ? failedFields(name, call?.input ?? {}, read.text) : {}),
  };
}

const Part = z.object({ type: z.string().optional(), content: z.unknown(), text: z.unknown() }).partial();
const Message = z.object({
  role: text,
  content: z.unknown().optional(),
  parts: lenient(z.array(Part)),
});

/**
 * The user's prompt, if the instrumentation sends it. Callers only hash it, so that two agents with one task are
 * recognised. Reads new and old conventions; Claude Code writes `<REDACTED>` by default.
 */
export function promptOf(attributes: Attributes, events: readonly SpanEventFacts[]): string | undefined {
  const details = events.find(({ name }) => name === 'gen_ai.client.inference.operation.details')?.attributes;
  const messages = attributes.get('gen_ai.input.messages') ?? details?.get('gen_ai.input.messages');
  const whole = textAt(attributes, 'gen_ai.prompt', 'input.value', 'traceloop.entity.input');
  const first =
    textAt(attributes, 'user_prompt') ??
    flatPrompt(attributes) ??
    (messages === undefined ? undefined : firstOfUser(messages)) ??
    (whole === undefined ? undefined : firstOfUser(whole)) ??
    textAt(attributes, 'gen_ai.prompt.0.content') ??
    eventText(events);
  return first === undefined || /^\s*<REDACTED>\s*$/.test(first) ? undefined : first;
}

/** The first messages of a request; a system's instructions can come before the user's. */
const FIRST_MESSAGES = 10;

/** OpenInference has each message in attributes of its own. */
function flatPrompt(attributes: Attributes): string | undefined {
  for (let n = 0; n < FIRST_MESSAGES; n += 1)
    if (attributes.get(`llm.input_messages.${n}.message.role`) === 'user')
      return textAt(
        attributes,
        `llm.input_messages.${n}.message.content`,
        `llm.input_messages.${n}.message.contents.0.message_content.text`,
      );
  return undefined;
}

function firstOfUser(given: Attribute): string | undefined {
  const text = typeof given === 'string' ? given : undefined;
  const messages = z.array(Message).safeParse(text === undefined ? given : parseJson(text));
  if (!messages.success) return text;
  const first = messages.data.find(({ role }) => role === 'user' || role === 'human');
  return first === undefined ? text : textOf(first);
}

function textOf({ content, parts }: z.infer<typeof Message>): string {
  if (typeof content === 'string') return content;
  const texts = (parts ?? []).map((part) => part.content ?? part.text).filter((part) => typeof part === 'string');
  return texts.join('\n');
}

function eventText(events: readonly SpanEventFacts[]): string | undefined {
  const message = events.find(({ name }) => name === 'gen_ai.user.message')?.attributes;
  return message === undefined ? undefined : textAt(message, 'content', 'gen_ai.event.content');
}

const PASSED = /^(?:pass|passed|success|succeeded|correct|resolved|true)$/i;
const FAILED = /^(?:fail|failed|failure|incorrect|unresolved|false)$/i;

/** An evaluator's verdict (`gen_ai.evaluation.result`), if it has a label. A bare score has no known scale. */
export function evaluationOf(events: readonly SpanEventFacts[]): { evaluation?: 'succeeded' | 'failed' } {
  const labels = events
    .filter(({ name }) => name === 'gen_ai.evaluation.result')
    .map(({ attributes }) => textAt(attributes, 'gen_ai.evaluation.score.label') ?? '');
  if (labels.some((label) => FAILED.test(label.trim()))) return { evaluation: 'failed' };
  return labels.length > 0 && labels.every((label) => PASSED.test(label.trim())) ? { evaluation: 'succeeded' } : {};
}

/** A fragment of an execution. Ids are validated or hashed, so that they hold no text from outside. */
export interface RecordFragment extends RecordPlace {
  readonly fragmentKey: string;
  readonly parentKey: string | undefined;
  /** Shared by the fragments of one tool call. */
  readonly joinKey: string | undefined;
  readonly signal: FragmentSignal;
  readonly facts: SpanFacts;
}

/** The key of a span's fragment. Ids of spans are unique in a trace only, and a session has several. */
export const spanKey = (isOfSession: boolean, traceId: string | undefined, spanId: string): string =>
  (isOfSession && traceId !== undefined ? `${traceId.slice(-16)}${spanId}` : spanId).toLowerCase();

/** The conversation of a record, as a reference, and the task of an execution whose task is unknown. */
export function conversationFacts(
  conversation: string | undefined,
  { sessionOf }: FragmentIdentifiers,
): Pick<SpanFacts, 'conversation' | 'conversationTask'> {
  if (conversation === undefined) return {};
  return { conversation: sessionOf(clipId(conversation)), conversationTask: taskHash(`session ${conversation}`) };
}
