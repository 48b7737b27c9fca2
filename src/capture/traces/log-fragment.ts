import { canonicalJson } from '../../platform/base/canonical-json.js';
import { optional } from '../../platform/base/optional.js';
import type { FragmentIdentifiers } from '../importers/fragment-format.js';
import { isFields } from '../importers/json-fields.js';
import { taskOf } from '../importers/task-sources.js';
import type { OtlpLogRecord } from '../otlp/otlp.schema.js';
import { type Attribute, type Attributes, attributesOf, readValue, textAt } from '../otlp/otlp-attributes.js';
import type { ExecutionEnvironment } from '../report/execution-report.schema.js';
import { failureFacts } from './call-attributes.js';
import { type EventFacts, productEvent } from './product-events.js';
import type { SpanFacts } from './span-facts.js';
import {
  conversationOf,
  productOfLog,
  productSession,
  type RecordPlace,
  sessionPlace,
  type TelemetryProduct,
  TRACE_FORMAT,
} from './telemetry-product.js';
import {
  conversationFacts,
  evaluationOf,
  messageFragments,
  modelFacts,
  promptOf,
  type RecordFragment,
  spanKey,
} from './trace-span.js';

const MAX_DURATION_MS = 86_400_000;
const DETAILS = 'gen_ai.client.inference.operation.details';

/**
 * The fragments of a log record; none for a record that says nothing about an execution, or that names neither a trace
 * nor a session.
 */
export function logFragments(
  record: OtlpLogRecord,
  resource: Attributes,
  identifiers: FragmentIdentifiers,
  environment: ExecutionEnvironment | undefined,
): RecordFragment[] {
  const event = logEventOf(record);
  if (event === undefined) return [];
  const product = productOfLog(event.name, resource);
  const session = sessionPlace(product, event.attributes, identifiers);
  const place = session ?? placeOf(record, event.attributes, identifiers);
  const read = eventFacts(product, event);
  if (place === undefined || read === undefined) return [];
  const conversation = session === undefined ? conversationOf(event.attributes) : productSession(event.attributes);
  const { format, key } = place;
  const fragment: RecordFragment = {
    format,
    key,
    // A record has no id. A request that is sent again has the same records.
    fragmentKey: identifiers.keyOf('log', canonicalJson(record)),
    parentKey: record.spanId === undefined ? undefined : spanKey(session !== undefined, record.traceId, record.spanId),
    joinKey: read.callId === undefined ? undefined : identifiers.keyOf(read.callId),
    signal: read.signal ?? 'none',
    facts: {
      ...timesOf(event, read),
      ...read.facts,
      logged: true,
      ...conversationFacts(conversation, identifiers),
      ...optional('environment', environment),
    },
  };
  const events = [{ name: event.name, attributes: event.attributes }];
  return [fragment, ...messageFragments(fragment, new Map(), events, identifiers)];
}

/** A record of another program belongs to its trace, or else to its conversation. */
function placeOf(
  { traceId }: OtlpLogRecord,
  attributes: Attributes,
  identifiers: FragmentIdentifiers,
): RecordPlace | undefined {
  if (traceId !== undefined) return { format: TRACE_FORMAT, key: traceId.toLowerCase() };
  const conversation = conversationOf(attributes);
  return conversation === undefined ? undefined : { format: TRACE_FORMAT, key: identifiers.keyOf(conversation) };
}

function timesOf({ at }: LogEvent, { durationMs = 0 }: EventFacts): Pick<SpanFacts, 'startedAt' | 'endedAt'> {
  const start = at - Math.max(0, Math.min(durationMs, MAX_DURATION_MS, at - 1));
  return { startedAt: new Date(start).toISOString(), endedAt: new Date(at).toISOString() };
}

function eventFacts(product: TelemetryProduct | undefined, event: LogEvent): EventFacts | undefined {
  const own = product === undefined ? undefined : productEvent(product, event.name, event.attributes);
  return own ?? conventionEvent(event);
}

/** An event of the GenAI conventions, which products write too. */
function conventionEvent({ name, attributes }: LogEvent): EventFacts | undefined {
  const events = [{ name, attributes }];
  if (name === DETAILS)
    return {
      facts: { kind: 'model', ...failureFacts({ isError: false }, attributes, ''), ...modelFacts(attributes, []) },
    };
  if (name === 'exception')
    return { facts: { kind: 'execution', ...failureFacts({ isError: true, events }, attributes, '') } };
  if (name === 'gen_ai.evaluation.result') return { facts: { kind: 'other', failed: false, ...evaluationOf(events) } };
  if (!/^gen_ai\.(?:(?:user|assistant|tool)\.message|choice)$/.test(name)) return undefined;
  // The messages of a request come one after the other; `messageFragments` reads the calls in them.
  return { facts: { kind: 'other', failed: false, ...taskOf(promptOf(new Map(), events)) } };
}

/** A log record as an event. Raw: it is reduced before it is stored. */
interface LogEvent {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Also the fields of the body, if it is a map: events before 2025 had their content there. */
  readonly attributes: Attributes;
}

/** Undefined for a record without a time or a name: no convention is known for it. */
function logEventOf(record: OtlpLogRecord): LogEvent | undefined {
  const own = attributesOf(record.attributes);
  const body = readValue(record.body);
  const at = record.timeUnixNano ?? record.observedTimeUnixNano;
  const name = textAt(own, 'event.name') ?? (record.eventName || undefined) ?? nameIn(body);
  if (at === undefined || name === undefined) return undefined;
  // Claude Code has the short name in the attribute and the whole one in the body.
  const whole = name.includes('.') ? name : (nameIn(body) ?? name);
  return { name: whole.slice(0, 200), at, attributes: isFields(body) ? merged(own, body) : own };
}

const nameIn = (body: Attribute | undefined): string | undefined =>
  typeof body === 'string' && /^[a-z_]{1,40}(?:\.[a-z_]{1,60}){1,5}$/.test(body) ? body : undefined;

function merged(attributes: Attributes, body: Readonly<Record<string, unknown>>): Attributes {
  // The values of a body are read as those of attributes are.
  const fields = Object.entries(body) as [string, Attribute][];
  return new Map([...fields.filter(([, value]) => value !== null), ...attributes]);
}
