import { z } from 'zod';

const text = z.string().optional().catch(undefined);

/** One attribute; its value is read by `otlp-attributes.ts`. */
const KeyValue = z.object({ key: z.string(), value: z.unknown().optional() });
const attributes = z.array(z.unknown()).optional().catch(undefined);
/** A 64-bit number, as a decimal text or as a number. Times before 1970 and after 2200 are none. */
const nanoseconds = z
  .union([z.string().regex(/^\d{1,20}$/), z.number().min(0)])
  // A text has more digits than a number can hold.
  .transform((value) => (typeof value === 'string' ? Number(value.slice(0, -6)) : Math.round(value / 1e6)))
  .refine((milliseconds) => milliseconds > 0 && milliseconds < 7_258_118_400_000);

const SpanEvent = z.object({ name: text, attributes });

/**
 * One span of OTLP/JSON, read leniently: unknown fields are not an error, as the protocol says. Only its ids and times
 * are needed. Ids are hex, and all zeros is no id.
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

/** The body of `POST /v1/traces`; what is not a span is found out span by span. */
export const ExportTraceRequest = z
  .object({ resourceSpans: z.array(ResourceSpans).max(10_000).optional() })
  .meta({ id: 'ExportTraceRequest' });
export type ExportTraceRequest = z.infer<typeof ExportTraceRequest>;

/** Empty when everything was taken, as OTLP/HTTP has it. */
export const ExportTraceResponse = z
  .object({
    partialSuccess: z
      .object({
        /** A 64-bit number, so a text in JSON. These spans must not be sent again. */
        rejectedSpans: z.string(),
        errorMessage: z.string(),
      })
      .optional(),
  })
  .meta({ id: 'ExportTraceResponse' });
export type ExportTraceResponse = z.infer<typeof ExportTraceResponse>;

export { KeyValue, SpanEvent };
