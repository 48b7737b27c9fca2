import { type ActiveSpan, currentWork, runInWork, type SpanAttributes } from './work-context.js';

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
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name;
}
