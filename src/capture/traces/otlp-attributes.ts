import { z } from 'zod';
import { count, flag, lenient, readable, text } from '../../platform/base/lenient.schema.js';
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
  for (const { key, value: given } of first(list, KeyValue)) {
    const value = found.has(key) ? undefined : readValue(given);
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

/**
 * The value of an attribute or of a body; undefined for one without a value. Its depth is bounded where the body of the
 * request is parsed.
 */
export function readValue(value: unknown): Attribute | undefined {
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } =
    AnyValue.safeParse(value).data ?? {};
  const simple = stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue));
  if (simple !== undefined) return simple;
  if (arrayValue !== undefined)
    return (arrayValue.values ?? []).slice(0, MAX_ATTRIBUTES).map((item) => readValue(item) ?? null);
  if (kvlistValue === undefined) return undefined;
  return Object.fromEntries(
    first(kvlistValue.values, KeyValue).map((pair) => [pair.key, readValue(pair.value) ?? null]),
  );
}

const first = <T>(list: readonly unknown[] | undefined, schema: z.ZodType<T>): T[] =>
  readable(list?.slice(0, MAX_ATTRIBUTES), schema);

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
  return first(span.events, SpanEvent).map(({ name = '', attributes }) => ({
    name,
    attributes: attributesOf(attributes),
  }));
}
