import { AsyncLocalStorage } from 'node:async_hooks';

/** Ids, counts and codes that the program made. Never a text from outside. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface ActiveSpan {
  readonly traceId: string;
  /** The header by which the next server continues the trace. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed; `code` is that of an error, or the name of its class. */
  fail(code: string): void;
  end(): void;
}

/** What this work is part of. */
export interface WorkContext {
  /** Of the caller if it sent a usable one, else made by the server. Undefined in background work. */
  readonly requestId?: string;
  readonly span?: ActiveSpan;
  /** The header of another work, possibly of another process, to which the next span belongs. */
  readonly traceparent?: string;
}

const storage = new AsyncLocalStorage<WorkContext>();

/** Runs `work` as a part: what it logs carries the id of the request, and its spans have the given one as their parent. */
export const runInWork = <T>(context: WorkContext, work: () => T): T => storage.run(context, work);

/** Runs background work that a request only woke, so that it is not taken for a part of that request. */
export const runOutsideRequests = <T>(work: () => T): T => storage.exit(work);

export const currentWork = (): WorkContext | undefined => storage.getStore();
