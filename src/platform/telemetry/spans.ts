import { AsyncLocalStorage } from 'node:async_hooks';

export interface SpanStart {
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes: SpanAttributes;
  readonly parent: ActiveSpan | undefined;
  /** The header of a caller; another form than that of W3C is ignored. */
  readonly traceparent?: string | undefined;
}

/** Makes spans while traces are on. */
export interface SpanSink {
  start(name: string, options: SpanStart): ActiveSpan;
}

let current: SpanSink | undefined;

/** Sends spans to `sink` until the returned function is called. */
export function useSpanSink(sink: SpanSink): () => void {
  current = sink;
  return () => {
    if (current === sink) current = undefined;
  };
}

/** Starts a span that its caller ends; undefined while traces are off. */
export const startSpan = (name: string, options: Omit<SpanStart, 'parent'>): ActiveSpan | undefined =>
  current?.start(name, { traceparent: currentWork()?.traceparent, ...options, parent: currentWork()?.span });

/** Runs work that an earlier one queued, so that its spans belong to that one, whose header this is. */
export const inTrace = <T>(traceparent: string | null, work: () => T): T =>
  traceparent === null ? work() : runInWork({ traceparent }, work);

/** Runs `work` in a span of this name; just runs it while traces are off. */
export async function inSpan<T>(
  name: string,
  attributes: SpanAttributes,
  work: (span: ActiveSpan | undefined) => Promise<T>,
  kind: SpanStart['kind'] = 'internal',
): Promise<T> {
  const span = startSpan(name, { kind, attributes });
  if (span === undefined) return work(undefined);
  try {
    return await runInWork({ ...currentWork(), span }, () => work(span));
  } catch (error) {
    span.fail(errorCode(error));
    throw error;
  } finally {
    span.end();
  }
}

/** By these headers, a server that is called continues the trace of this work. None while traces are off. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = currentWork()?.span?.traceparent;
  return traceparent === undefined ? {} : { traceparent };
}

/** The stable code of an error, or the name of its class. Its message may hold a text from outside. */
function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name;
}

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
