import { clipId } from '../importers/foreign-report.js';
import type { FragmentIdentifiers } from '../importers/fragment-format.js';
import { type Attributes, textAt } from './otlp-attributes.js';

/**
 * Agent products whose spans and log records all name their session. They are collected by session, because a session
 * has a trace for each prompt, and logs may come without traces.
 */
export const TELEMETRY_PRODUCTS = ['claude-code', 'codex', 'gemini'] as const;
export type TelemetryProduct = (typeof TELEMETRY_PRODUCTS)[number];

/** The format of a product's telemetry, and prefix of the ids of its executions. */
export const telemetryFormatOf = (product: TelemetryProduct): string => `${product}-otel`;

const NAMES: Readonly<Record<TelemetryProduct, RegExp>> = {
  'claude-code': /^claude_code\./,
  codex: /^codex\./,
  gemini: /^gemini_cli\./,
};
const SERVICES: Readonly<Record<TelemetryProduct, RegExp>> = {
  'claude-code': /^claude[-_]code/,
  codex: /^codex/,
  gemini: /^gemini[-_]cli/,
};

/** The product that wrote a span. Every span of theirs has its session. */
export function productOfSpan(name: string, attributes: Attributes): TelemetryProduct | undefined {
  if (textAt(attributes, 'gen_ai.agent.name') === 'gemini-cli') return 'gemini';
  return TELEMETRY_PRODUCTS.find((product) => NAMES[product].test(name));
}

/** The product that wrote a log record: by the event's name, which a user cannot change, or by the service's name. */
export function productOfLog(event: string, resource: Attributes): TelemetryProduct | undefined {
  const service = textAt(resource, 'service.name')?.trim().toLowerCase() ?? '';
  return (
    TELEMETRY_PRODUCTS.find((product) => NAMES[product].test(event)) ??
    TELEMETRY_PRODUCTS.find((product) => SERVICES[product].test(service))
  );
}

/** The session of a product's record. Claude Code gives its sub-agents conversations of their own in one session. */
export const productSession = (attributes: Attributes): string | undefined =>
  textAt(attributes, 'session.id', 'gen_ai.conversation.id', 'conversation.id', 'thread.id');

/** The conversation of another program's record. */
export const conversationOf = (attributes: Attributes): string | undefined =>
  textAt(attributes, 'gen_ai.conversation.id', 'session.id');

/** The format of traces of other programs. */
export const TRACE_FORMAT = 'otel';

/** Where a record belongs: to the session of its product, or to its trace. */
export interface RecordPlace {
  readonly format: string;
  readonly key: string;
}

/** Undefined for a record without a session of a product. */
export function sessionPlace(
  product: TelemetryProduct | undefined,
  attributes: Attributes,
  identifiers: FragmentIdentifiers,
): RecordPlace | undefined {
  const session = product === undefined ? undefined : productSession(attributes);
  if (product === undefined || session === undefined) return undefined;
  return { format: telemetryFormatOf(product), key: identifiers.keyOf(product, clipId(session)) };
}
