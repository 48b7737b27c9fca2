import { z } from 'zod';
import { lenient, list, text } from '../../platform/base/lenient.schema.js';

/** One attribute. `otlp-attributes.ts` reads its value. */
const KeyValue = z.object({ key: z.string(), value: z.unknown().optional() });
const attributes = list;
/**
 * Nanoseconds since 1970 as a decimal string or a number, parsed to milliseconds. Times before 1970 and after 2200 are
 * invalid.
 */
const nanoseconds = z
  .union([z.string().regex(/^\d{1,20}$/), z.number().min(0)])
  // The string can have more digits than a number can hold.
  .transform((value) => (typeof value === 'string' ? Number(value.slice(0, -6)) : Math.round(value / 1e6)))
  .refine((milliseconds) => milliseconds > 0 && milliseconds < 7_258_118_400_000);

const SpanEvent = z.object({ name: text, attributes });

/**
 * One span of OTLP/JSON. Parsed leniently: the protocol allows unknown fields, and only ids and times are required. Ids
 * are hexadecimal; all zeros is not an id.
 */
export const OtlpSpan = z.object({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/i),
  spanId: z.string().regex(/^(?!0{16})[0-9a-f]{16}$/i),
  parentSpanId: lenient(z.string().regex(/^(?!0{16})[0-9a-f]{16}$/i)),
  name: z.string().catch(''),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  events: list,
  status: lenient(z.object({ code: z.union([z.number(), z.string()]).optional(), message: text })),
});
export type OtlpSpan = z.infer<typeof OtlpSpan>;

/** Times can be missing in a log record: then the time of its observation counts. */
const optionalTime = lenient(nanoseconds);
const optionalId = (digits: number) =>
  lenient(z.string().regex(new RegExp(`^(?!0{${digits}})[0-9a-f]{${digits}}$`, 'i')));

/** One log record of OTLP/JSON. An event names itself in `eventName`, in the attribute `event.name` or in its body. */
export const OtlpLogRecord = z.object({
  traceId: optionalId(32),
  spanId: optionalId(16),
  timeUnixNano: optionalTime,
  observedTimeUnixNano: optionalTime,
  eventName: text,
  body: z.unknown().optional(),
  attributes,
});
export type OtlpLogRecord = z.infer<typeof OtlpLogRecord>;

const ScopeSpans = z.object({ spans: z.array(z.unknown()).optional() });
const ResourceSpans = z.object({
  resource: lenient(z.object({ attributes })),
  scopeSpans: z.array(ScopeSpans).optional(),
});

/** The body of `POST /v1/traces`. Each span is validated by itself later. */
export const ExportTraceRequest = z
  .object({ resourceSpans: z.array(ResourceSpans).max(10_000).optional() })
  .meta({ id: 'ExportTraceRequest' });
export type ExportTraceRequest = z.infer<typeof ExportTraceRequest>;

/** Empty if every span was accepted, as OTLP/HTTP defines it. */
export const ExportTraceResponse = z
  .object({
    partialSuccess: z
      .object({
        /** A 64-bit number, so a string in JSON. Clients must not send these spans again. */
        rejectedSpans: z.string(),
        errorMessage: z.string(),
      })
      .optional(),
  })
  .meta({ id: 'ExportTraceResponse' });
export type ExportTraceResponse = z.infer<typeof ExportTraceResponse>;

const ResourceLogs = z.object({
  resource: lenient(z.object({ attributes })),
  scopeLogs: z.array(z.object({ logRecords: z.array(z.unknown()).optional() })).optional(),
});

/** The body of `POST /v1/logs`. Each record is validated by itself later. */
export const ExportLogsRequest = z
  .object({ resourceLogs: z.array(ResourceLogs).max(10_000).optional() })
  .meta({ id: 'ExportLogsRequest' });
export type ExportLogsRequest = z.infer<typeof ExportLogsRequest>;

/** Empty if every record was accepted, as OTLP/HTTP defines it. */
export const ExportLogsResponse = z
  .object({
    partialSuccess: z.object({ rejectedLogRecords: z.string(), errorMessage: z.string() }).optional(),
  })
  .meta({ id: 'ExportLogsResponse' });
export type ExportLogsResponse = z.infer<typeof ExportLogsResponse>;

/** Metrics are received and dropped, so that an exporter that sends all signals reports no errors. */
export const ExportMetricsRequest = z
  .object({ resourceMetrics: z.array(z.unknown()).optional() })
  .meta({ id: 'ExportMetricsRequest' });
export type ExportMetricsRequest = z.infer<typeof ExportMetricsRequest>;
export const ExportMetricsResponse = z.object({}).meta({ id: 'ExportMetricsResponse' });
export type ExportMetricsResponse = z.infer<typeof ExportMetricsResponse>;

export { KeyValue, SpanEvent };
