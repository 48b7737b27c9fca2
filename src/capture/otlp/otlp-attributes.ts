import { z } from 'zod';
import { count, flag, lenient, text } from '../../platform/base/lenient.schema.js';
import { KeyValue, type OtlpSpan, SpanEvent } from './otlp.schema.js';

export type Attribute = string | number | boolean | readonly unknown[] | Readonly<Record<string, unknown>>;
export type Attributes = ReadonlyMap<string, Attribute>;

/** A request with a long conversation has an attribute for each part of each message. */
const MAX_ATTRIBUTES = 10_000;

const AnyValue = z.object({
  stringValue: text,
  boolValue: flag,
  /** A 64-bit number is a string in JSON; many exporters write a number. */
  intValue: lenient(z.union([z.number(), z.string().regex(/^-?\d{1,19}$/)])),
  doubleValue: count,
  arrayValue: lenient(z.object({ values: z.array(z.unknown()).optional() })),
  kvlistValue: lenient(z.object({ values: z.array(z.unknown()).optional() })),
});

/** The attributes of a span, an event or a resource by name. The first attribute of a name counts. */
export function attributesOf(list: readonly unknown[] | undefined): Attributes {
  const found = new Map<string, Attribute>();
  for (const entry of (list ?? []).slice(0, MAX_ATTRIBUTES)) {
    const pair = KeyValue.safeParse(entry);
    if (!pair.success || found.has(pair.data.key)) continue;
    const value = readValue(pair.data.value);
    if (value !== undefined) found.set(pair.data.key, value);
  }
  return found;
}

/**
 * The value of an attribute or of a body; undefined for one without a value. Its depth is bounded where the body of the
 * request is parsed.
 */
export function readValue(value: unknown): Attribute | undefined {
  const simple = simpleValue(value);
  if (simple !== undefined) return simple;
  const { arrayValue, kvlistValue } = AnyValue.safeParse(value).data ?? {};
  if (arrayValue !== undefined)
    return (arrayValue.values ?? []).slice(0, MAX_ATTRIBUTES).map((item) => readValue(item) ?? null);
  if (kvlistValue === undefined) return undefined;
  const pairs = (kvlistValue.values ?? []).slice(0, MAX_ATTRIBUTES).flatMap((entry) => {
    const pair = KeyValue.safeParse(entry);
    return pair.success ? [[pair.data.key, readValue(pair.data.value) ?? null] as const] : [];
  });
  return Object.fromEntries(pairs);
}

function simpleValue(value: unknown): string | number | boolean | undefined {
  const parsed = AnyValue.safeParse(value);
  if (!parsed.success) return undefined;
  const { stringValue, boolValue, intValue, doubleValue } = parsed.data;
  return stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue));
}

/** The first of these attributes that is a non-empty text. */
export function textAt(attributes: Attributes, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

export interface SpanEventFacts {
  readonly name: string;
  readonly attributes: Attributes;
}

export function eventsOf(span: OtlpSpan): SpanEventFacts[] {
  return (span.events ?? []).slice(0, MAX_ATTRIBUTES).flatMap((entry) => {
    const parsed = SpanEvent.safeParse(entry);
    return parsed.success ? [{ name: parsed.data.name ?? '', attributes: attributesOf(parsed.data.attributes) }] : [];
  });
}
