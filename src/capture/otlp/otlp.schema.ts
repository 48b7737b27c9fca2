import { z } from 'zod';

const text = z.string().optional().catch(undefined);

/** One attribute. `otlp-attributes.ts` reads its value. */
const KeyValue = z.object({ key: z.string(), value: z.unknown().optional() });
const attributes = z.array(z.unknown()).optional().catch(undefined);
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
  parentSpanId: z
    .string()
    .regex(/^(?!0{16})[0-9a-f]{16}$/i)
    .optional()
    .catch(undefined),
  name: z.string().catch(''),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  events: z.array(z.unknown()).optional().catch(undefined),
  status: z
    .object({ code: z.union([z.number(), z.string()]).optional(), message: text })
    .optional()
    .catch(undefined),
});
export type OtlpSpan = z.infer<typeof OtlpSpan>;

const ScopeSpans = z.object({ spans: z.array(z.unknown()).optional() });
const ResourceSpans = z.object({
  resource: z.object({ attributes }).optional().catch(undefined),
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

export { KeyValue, SpanEvent };
