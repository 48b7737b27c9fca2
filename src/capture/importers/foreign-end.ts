import type { ExecutionReport } from '../report/execution-report.schema.js';

/** How an execution of a foreign format ended, as far as its records say. None of them says that the task succeeded. */
export type ForeignEnd =
  | 'ended'
  | 'unfinished'
  | 'interrupted'
  | 'max_turns'
  | { readonly kind: 'stopped'; readonly reason: string }
  /** A limit that the harness sets: turns, cost, time, or the context window. */
  | { readonly kind: 'limit'; readonly reason: string }
  | { readonly kind: 'api_error'; readonly status: number | undefined; readonly type: string };

/** Stop reasons after which an answer of a model is incomplete, in the words of the providers. */
const BAD_STOPS: ReadonlySet<string> = new Set([
  'refusal',
  'max_tokens',
  'model_context_window_exceeded',
  'length',
  'content_filter',
]);

export const isBadStop = (reason: string): boolean => BAD_STOPS.has(reason);

/** Whether a failure ended it, which can have a message. */
export const isFailure = (end: ForeignEnd): boolean => typeof end === 'object' && end.kind !== 'limit';

/** Status and reason for a report. "Completed" means a normal end: no transcript says whether the task succeeded. */
export function endingOf(end: ForeignEnd): Pick<ExecutionReport, 'status' | 'terminationReason' | 'errorCategory'> {
  if (end === 'ended') return { status: 'completed', terminationReason: end };
  if (typeof end === 'string') return { status: 'aborted', terminationReason: end };
  switch (end.kind) {
    case 'stopped': {
      const reason = toWord(end.reason) || 'stopped';
      return { status: 'failed', terminationReason: reason, errorCategory: reason };
    }
    case 'limit':
      return { status: 'aborted', terminationReason: toWord(end.reason) || 'limit' };
    case 'api_error': {
      const type = toWord(end.type);
      const detail = [end.status, type].filter((part) => part !== undefined && part !== '').join(':');
      const category = end.status === undefined ? type || 'api_error' : `http-${end.status}`;
      return { status: 'failed', terminationReason: `api_error:${detail || 'unknown'}`, errorCategory: category };
    }
  }
}

/** A type or reason as one short word, because the record may hold any text there. */
function toWord(text: string): string {
  return text.replace(/[^\w.-]/g, '_').slice(0, 60);
}
