import { gzipSync } from 'node:zlib';

export interface SpanSketch {
  readonly id: number;
  readonly parent?: number;
  readonly name?: string;
  /** Milliseconds after the start of the trace. */
  readonly from?: number;
  readonly to?: number;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly failed?: string | true;
  readonly events?: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
}

export const TRACE = 'a'.repeat(31);
/** Milliseconds since 1970 of what is at 0. */
export const START = Date.UTC(2026, 2, 31, 18);

export const traceId = (n = 0): string => `${TRACE}${n.toString(16)}`;
export const spanId = (n: number): string => n.toString(16).padStart(16, '0').replace(/^0/, 'b');

/** OTLP/JSON as an SDK writes it: ids in hex, times as nanosecond strings, attributes as lists of typed values. */
export function otlp(
  spans: readonly SpanSketch[],
  { trace = traceId(), resource = {} }: { trace?: string; resource?: Readonly<Record<string, unknown>> } = {},
) {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes({ 'service.name': 'billing-agent', ...resource }) },
        scopeSpans: [{ scope: { name: 'a.tracer' }, spans: spans.map((span) => otlpSpan(span, trace)) }],
      },
    ],
  };
}

export interface LogSketch {
  readonly event: string;
  /** Milliseconds after the start of the trace. */
  readonly at?: number;
  /** The span in which it was written. */
  readonly span?: number;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Log records in OTLP/JSON, with the name of each event where the products and the conventions have it. */
export function otlpLogs(
  records: readonly LogSketch[],
  { trace, resource = {} }: { trace?: string; resource?: Readonly<Record<string, unknown>> } = {},
) {
  return {
    resourceLogs: [
      {
        resource: { attributes: attributes({ 'service.name': 'billing-agent', ...resource }) },
        scopeLogs: [{ scope: { name: 'a.logger' }, logRecords: records.map((record) => logRecord(record, trace)) }],
      },
    ],
  };
}

function logRecord({ event, at = 0, span, attributes: fields = {}, body }: LogSketch, trace: string | undefined) {
  const isOfProduct = /^(?:claude_code|codex|gemini_cli)\./.test(event);
  return {
    timeUnixNano: nanoseconds(at),
    observedTimeUnixNano: nanoseconds(at),
    severityNumber: 9,
    ...(trace === undefined ? {} : { traceId: trace }),
    ...(span === undefined ? {} : { spanId: spanId(span) }),
    ...(isOfProduct ? {} : { eventName: event }),
    ...(body === undefined ? { body: { stringValue: event } } : { body: anyValue(body) }),
    attributes: attributes(isOfProduct ? { 'event.name': event, ...fields } : fields),
  };
}

function otlpSpan(
  { id, parent, name = 'span', from = 0, to = from + 10, failed, ...sketch }: SpanSketch,
  trace: string,
) {
  return {
    traceId: trace,
    spanId: spanId(id),
    ...(parent === undefined ? {} : { parentSpanId: spanId(parent) }),
    name,
    kind: 1,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(to),
    attributes: attributes(sketch.attributes ?? {}),
    events: (sketch.events ?? []).map((event) => ({
      name: event.name,
      timeUnixNano: nanoseconds(from),
      attributes: attributes(event.attributes),
    })),
    status: failed === undefined ? { code: 0 } : { code: 2, ...(failed === true ? {} : { message: failed }) },
  };
}

const nanoseconds = (ms: number): string => `${START + ms}000000`;

function attributes(values: Readonly<Record<string, unknown>>): { key: string; value: object }[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: unknown): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'object' && value !== null) return { kvlistValue: { values: attributes({ ...value }) } };
  return { stringValue: String(value) };
}

export const agentSpan = (change: Partial<SpanSketch> = {}): SpanSketch => ({
  id: 1,
  name: 'invoke_agent biller',
  to: 5_000,
  ...change,
  attributes: {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'biller',
    'gen_ai.conversation.id': 'conversation-1',
    ...change.attributes,
  },
});

export const modelSpan = (id: number, from: number, change: Partial<SpanSketch> = {}): SpanSketch => ({
  id,
  parent: 1,
  name: 'chat a-model',
  from,
  ...change,
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'a-model',
    'gen_ai.response.finish_reasons': ['stop'],
    ...change.attributes,
  },
});

export const toolSpan = (
  id: number,
  from: number,
  tool: string,
  input: unknown,
  change: Partial<SpanSketch> = {},
): SpanSketch => ({
  id,
  parent: 1,
  name: `execute_tool ${tool}`,
  from,
  ...change,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': `call-${id}`,
    'gen_ai.tool.call.arguments': JSON.stringify(input),
    ...change.attributes,
  },
});

/** A trace in which `python` fails, in a child span of the call, and `python3` works. */
export const PYTHON_RUN: readonly SpanSketch[] = [
  modelSpan(2, 10, { attributes: { 'gen_ai.response.finish_reasons': ['tool_calls'] } }),
  {
    id: 4,
    parent: 3,
    name: 'process',
    from: 31,
    attributes: { 'gen_ai.tool.call.id': 'call-3', 'error.type': 'tool_error', error: 'SyntaxError: invalid syntax' },
    failed: 'SyntaxError: invalid syntax',
  },
  toolSpan(3, 30, 'bash', { command: 'python close.py' }),
  toolSpan(5, 50, 'bash', { command: 'python3 close.py' }),
  modelSpan(6, 80),
  agentSpan(),
];

/** Posts an export like an exporter, optionally gzipped. */
export function postTraces(
  url: string,
  token: string,
  body: unknown,
  { gzip = false, headers = {} }: { gzip?: boolean; headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      ...headers,
    },
    body: gzip ? new Uint8Array(gzipSync(text)) : text,
  });
}
