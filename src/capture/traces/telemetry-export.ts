import { canonicalJson } from '../../platform/base/canonical-json.js';
import { optional, present } from '../../platform/base/optional.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { FragmentIdentifiers, NewFragment } from '../importers/fragment-format.js';
import { isFields } from '../importers/json-fields.js';
import { taskOf } from '../importers/task-sources.js';
import { type ExecutionEnvironment, REPORT_LIMITS } from '../report/execution-report.schema.js';
import { repositoryLabel } from '../report/repository-label.js';
import { storedEnvironment } from '../report/stored-environment.js';
import { failureFacts } from './call-attributes.js';
import { type ExportLogsRequest, type ExportTraceRequest, OtlpLogRecord, OtlpSpan } from './otlp.schema.js';
import { type Attribute, type Attributes, attributesOf, readValue, textAt } from './otlp-attributes.js';
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
  spanFragments,
  spanKey,
} from './trace-span.js';

/** The fragments of one trace, or of one session, from one resource. */
export interface PlacedFragments extends RecordPlace {
  readonly resource: Attributes;
  readonly fragments: readonly NewFragment[];
  /** Records that they are made of. */
  readonly records: number;
}

/** The redacted fragments of an export, and the number of its spans or log records that cannot be read. */
export interface ReadExport {
  readonly placed: readonly PlacedFragments[];
  readonly unreadable: number;
}

type Resource = { readonly attributes?: readonly unknown[] | undefined } | undefined;
/** Undefined for a record that cannot be read. */
type RecordReader = (record: unknown, resource: Attributes, place: number) => RecordFragment[] | undefined;

export function readTraces({ resourceSpans }: ExportTraceRequest, identifiers: FragmentIdentifiers): ReadExport {
  const all = (resourceSpans ?? []).map(({ resource, scopeSpans }) => ({
    resource,
    records: (scopeSpans ?? []).flatMap(({ spans }) => spans ?? []),
  }));
  return readRecords(all, (record, resource, place) => {
    const span = OtlpSpan.safeParse(record);
    return span.success ? spanFragments(span.data, identifiers, environmentOf(resource), place) : undefined;
  });
}

export function readLogs({ resourceLogs }: ExportLogsRequest, identifiers: FragmentIdentifiers): ReadExport {
  const all = (resourceLogs ?? []).map(({ resource, scopeLogs }) => ({
    resource,
    records: (scopeLogs ?? []).flatMap(({ logRecords }) => logRecords ?? []),
  }));
  return readRecords(all, (record, resource) => {
    const log = OtlpLogRecord.safeParse(record);
    return log.success ? logFragments(log.data, resource, identifiers, environmentOf(resource)) : undefined;
  });
}

function readRecords(
  all: readonly { readonly resource: Resource; readonly records: readonly unknown[] }[],
  read: RecordReader,
): ReadExport {
  let unreadable = 0;
  const placed = all.flatMap(({ resource, records }) => {
    const attributes = attributesOf(resource?.attributes);
    const byPlace = new Map<string, { place: RecordPlace; fragments: NewFragment[]; records: number }>();
    for (const [at, record] of records.entries()) {
      const fragments = read(record, attributes, at);
      const [first] = fragments ?? [];
      if (fragments === undefined) unreadable += 1;
      if (first === undefined || fragments === undefined) continue;
      const { format, key } = first;
      const known = byPlace.get(`${format} ${key}`) ?? { place: { format, key }, fragments: [], records: 0 };
      byPlace.set(`${format} ${key}`, known);
      known.records += 1;
      known.fragments.push(...fragments.map(toNewFragment));
    }
    return [...byPlace.values()].map(({ place, ...rest }) => ({ ...place, ...rest, resource: attributes }));
  });
  return { placed, unreadable };
}

function toNewFragment({ fragmentKey, parentKey, joinKey, signal, facts }: RecordFragment): NewFragment {
  // Not the conversation: two conversations with the same marker would be one.
  const { conversation, ...texts } = facts;
  const { value, redactions: findings } = redactDeep(texts);
  const stored = conversation === undefined ? value : { ...value, conversation };
  return { key: fragmentKey, parentKey, joinKey, signal, facts: stored, findings };
}

/** Agent products, by the beginning of the name under which they send traces. Other services name one agent. */
const HARNESSES = [
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'qwen-code',
  'goose',
  'aider',
  'openhands',
] as const;
const SYSTEMS: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'macOS', windows: 'windows' };

/** What the resource of a trace says about the environment; undefined if nothing. */
function environmentOf(resource: Attributes): ExecutionEnvironment | undefined {
  const service = textAt(resource, 'service.name')?.trim().toLowerCase().replace(/_/g, '-').slice(0, 100) ?? '';
  const harness = HARNESSES.find((name) => service.startsWith(name));
  const harnessVersion =
    harness === undefined ? undefined : textAt(resource, 'service.version')?.slice(0, REPORT_LIMITS.version);
  const repository = repositoryLabel(textAt(resource, 'vcs.repository.url.full') ?? '');
  return storedEnvironment(present({ harness, harnessVersion, operatingSystem: systemIn(resource), repository }));
}

/** The kernel's version of a Linux says nothing to a reader, and can name the machine. */
function systemIn(resource: Attributes): string | undefined {
  const type = textAt(resource, 'os.type')?.toLowerCase() ?? '';
  const name = Object.hasOwn(SYSTEMS, type) ? SYSTEMS[type] : undefined;
  const version = /^\d{1,3}(?:\.\d{1,3}){0,2}$/.exec(textAt(resource, 'os.version') ?? '')?.[0];
  return name === undefined || name === 'linux' || version === undefined ? name : `${name} ${version}`;
}

const MAX_DURATION_MS = 86_400_000;
const DETAILS = 'gen_ai.client.inference.operation.details';

/**
 * The fragments of a log record; none for a record that says nothing about an execution, or that names neither a trace
 * nor a session.
 */
function logFragments(
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
