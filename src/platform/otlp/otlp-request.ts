import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ExportLogsServiceRequestSchema } from './generated/opentelemetry/proto/collector/logs/v1/logs_service_pb.js';
import { ExportTraceServiceRequestSchema } from './generated/opentelemetry/proto/collector/trace/v1/trace_service_pb.js';
import type { AnyValue, KeyValue } from './generated/opentelemetry/proto/common/v1/common_pb.js';
import type { LogRecord } from './generated/opentelemetry/proto/logs/v1/logs_pb.js';
import type { Resource } from './generated/opentelemetry/proto/resource/v1/resource_pb.js';
import type { Span } from './generated/opentelemetry/proto/trace/v1/trace_pb.js';

type OtlpSignal = 'traces' | 'logs';

/** A request in the form of OTLP/JSON, or why there is none. */
type DecodedRequest =
  | { readonly request: unknown }
  | { readonly problem: { readonly code: string; readonly detail: string } };

/**
 * The request of an exporter in protobuf, in the form that OTLP/JSON has: ids in hexadecimal, 64-bit numbers as decimal
 * strings. So one schema checks both encodings. Fields that no reader of ours uses are left out.
 */
export function decodeRequest(signal: OtlpSignal, bytes: Uint8Array, bounds: ProtobufBounds): DecodedRequest {
  try {
    const schema = signal === 'traces' ? ExportTraceServiceRequestSchema : ExportLogsServiceRequestSchema;
    const problem = protobufProblem(schema, bytes, bounds);
    if (problem !== undefined) return { problem };
    return { request: signal === 'traces' ? traces(bytes, bounds) : logs(bytes, bounds) };
  } catch {
    // The library's message can quote the bytes.
    const detail = `is not an Export${signal === 'traces' ? 'Trace' : 'Logs'}ServiceRequest in protobuf`;
    return { problem: { code: 'request.malformed_protobuf', detail } };
  }
}

function decode<T extends DescMessage>(schema: T, bytes: Uint8Array, { depth }: ProtobufBounds): MessageShape<T> {
  return fromBinary(schema, bytes, { readUnknownFields: false, recursionLimit: depth });
}

const traces = (bytes: Uint8Array, bounds: ProtobufBounds) => ({
  resourceSpans: decode(ExportTraceServiceRequestSchema, bytes, bounds).resourceSpans.map(
    ({ resource, scopeSpans }) => ({
      ...resourceOf(resource),
      scopeSpans: scopeSpans.map(({ spans }) => ({ spans: spans.map(spanOf) })),
    }),
  ),
});

const logs = (bytes: Uint8Array, bounds: ProtobufBounds) => ({
  resourceLogs: decode(ExportLogsServiceRequestSchema, bytes, bounds).resourceLogs.map(({ resource, scopeLogs }) => ({
    ...resourceOf(resource),
    scopeLogs: scopeLogs.map(({ logRecords }) => ({ logRecords: logRecords.map(recordOf) })),
  })),
});

const resourceOf = (resource: Resource | undefined) =>
  resource === undefined ? {} : { resource: { attributes: resource.attributes.map(pairOf) } };

const spanOf = (span: Span) => ({
  traceId: hex(span.traceId),
  spanId: hex(span.spanId),
  ...(span.parentSpanId.length === 0 ? {} : { parentSpanId: hex(span.parentSpanId) }),
  name: span.name,
  startTimeUnixNano: String(span.startTimeUnixNano),
  endTimeUnixNano: String(span.endTimeUnixNano),
  attributes: span.attributes.map(pairOf),
  events: span.events.map(({ name, attributes }) => ({ name, attributes: attributes.map(pairOf) })),
  ...(span.status === undefined ? {} : { status: { code: span.status.code, message: span.status.message } }),
});

const recordOf = (record: LogRecord) => ({
  ...(record.traceId.length === 0 ? {} : { traceId: hex(record.traceId) }),
  ...(record.spanId.length === 0 ? {} : { spanId: hex(record.spanId) }),
  timeUnixNano: String(record.timeUnixNano),
  observedTimeUnixNano: String(record.observedTimeUnixNano),
  eventName: record.eventName,
  ...(record.body === undefined ? {} : { body: anyValueOf(record.body) }),
  attributes: record.attributes.map(pairOf),
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const pairOf = ({ key, value }: KeyValue) => ({ key, ...(value === undefined ? {} : { value: anyValueOf(value) }) });

/** The bounds limit how deep the values are nested. */
function anyValueOf({ value }: AnyValue): object {
  switch (value.case) {
    case 'arrayValue':
      return { arrayValue: { values: value.value.values.map(anyValueOf) } };
    case 'kvlistValue':
      return { kvlistValue: { values: value.value.values.map(pairOf) } };
    case 'intValue':
      return { intValue: String(value.value) };
    case 'stringValue':
      return { stringValue: value.value };
    case 'boolValue':
      return { boolValue: value.value };
    case 'doubleValue':
      return { doubleValue: value.value };
    default:
      return {};
  }
}

interface ProtobufBounds {
  /** Levels of messages, the whole one included. */
  readonly depth: number;
  /** Fields that are present, of all messages together. */
  readonly fields: number;
}

interface Part {
  readonly schema: DescMessage;
  readonly bytes: Uint8Array;
  readonly depth: number;
}

/**
 * Says why a message must not be decoded: nested too deep for what reads it, or with so many fields that the objects
 * made of its bytes would fill the memory (an empty attribute has two bytes). Undefined if it may. Throws for bytes that
 * are no message.
 */
function protobufProblem(
  schema: DescMessage,
  bytes: Uint8Array,
  bounds: ProtobufBounds,
): { code: string; detail: string } | undefined {
  const rest: Part[] = [{ schema, bytes, depth: 1 }];
  let fields = 0;
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part.depth > bounds.depth)
      return { code: 'request.too_deep', detail: `is nested more than ${bounds.depth} deep` };
    const messages = messageFields(part.schema);
    const reader = new BinaryReader(part.bytes);
    while (reader.pos < reader.len) {
      fields += 1;
      if (fields > bounds.fields)
        return { code: 'request.too_many_values', detail: `has more than ${bounds.fields} fields` };
      const [number, type] = reader.tag();
      const message = type === WireType.LengthDelimited ? messages.get(number) : undefined;
      if (message === undefined) reader.skip(type, number, bounds.depth);
      else rest.push({ schema: message, bytes: reader.bytes(), depth: part.depth + 1 });
    }
  }
  return undefined;
}

const known = new WeakMap<DescMessage, ReadonlyMap<number, DescMessage>>();

/** The fields of a message that hold messages, by number. */
function messageFields(schema: DescMessage): ReadonlyMap<number, DescMessage> {
  const cached = known.get(schema);
  if (cached !== undefined) return cached;
  const found = new Map(
    schema.fields.flatMap((field) => {
      const message = field.fieldKind === 'message' || field.fieldKind === 'list' ? field.message : undefined;
      return message === undefined ? [] : [[field.number, message] as const];
    }),
  );
  known.set(schema, found);
  return found;
}
