import { isFields } from '../importers/json-fields.js';
import type { OtlpLogRecord } from './otlp.schema.js';
import { type Attribute, type Attributes, attributesOf, readValue, textAt } from './otlp-attributes.js';

/** A log record as an event. Raw: it is reduced before it is stored. */
export interface LogEvent {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Also the fields of the body, if it is a map: events before 2025 had their content there. */
  readonly attributes: Attributes;
}

/** Undefined for a record without a time or a name: no convention is known for it. */
export function logEventOf(record: OtlpLogRecord): LogEvent | undefined {
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
