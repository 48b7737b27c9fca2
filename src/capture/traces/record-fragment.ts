import { clipId } from '../importers/foreign-report.js';
import type { FragmentIdentifiers, FragmentSignal } from '../importers/fragment-format.js';
import { taskHash } from '../importers/task-sources.js';
import type { SpanFacts } from './span-facts.js';
import type { RecordPlace } from './telemetry-product.js';

/** A fragment of an execution. Ids are validated or hashed, so that they hold no text from outside. */
export interface RecordFragment extends RecordPlace {
  readonly fragmentKey: string;
  readonly parentKey: string | undefined;
  /** Shared by the fragments of one tool call. */
  readonly joinKey: string | undefined;
  readonly signal: FragmentSignal;
  readonly facts: SpanFacts;
}

/** The key of a span's fragment. Ids of spans are unique in a trace only, and a session has several. */
export const spanKey = (isOfSession: boolean, traceId: string | undefined, spanId: string): string =>
  (isOfSession && traceId !== undefined ? `${traceId.slice(-16)}${spanId}` : spanId).toLowerCase();

/** The conversation of a record, as a reference, and the task of an execution whose task is unknown. */
export function conversationFacts(
  conversation: string | undefined,
  { sessionOf }: FragmentIdentifiers,
): Pick<SpanFacts, 'conversation' | 'conversationTask'> {
  if (conversation === undefined) return {};
  return { conversation: sessionOf(clipId(conversation)), conversationTask: taskHash(`session ${conversation}`) };
}
