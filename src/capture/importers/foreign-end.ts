import type { ExecutionReport } from '../report/execution-report.schema.js';

/** How an execution of a foreign format ended, as far as its records tell. None of them tells success. */
export type ForeignEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'max_turns' }
  | { readonly kind: 'stopped'; readonly reason: string }
  | { readonly kind: 'api_error'; readonly status: number | undefined; readonly type: string };

/** Reasons after which an answer of a model is not one, in the words of the providers. */
const BAD_STOPS: ReadonlySet<string> = new Set([
  'refusal',
  'max_tokens',
  'model_context_window_exceeded',
  'length',
  'content_filter',
]);

export const isBadStop = (reason: string): boolean => BAD_STOPS.has(reason);

/** "Completed" means ended normally: no transcript tells whether the task succeeded (formats 0.5). */
export function endingOf(end: ForeignEnd): Pick<ExecutionReport, 'status' | 'terminationReason' | 'errorCategory'> {
  switch (end.kind) {
    case 'ended':
      return { status: 'completed', terminationReason: 'ended' };
    case 'stopped': {
      const reason = word(end.reason) || 'stopped';
      return { status: 'failed', terminationReason: reason, errorCategory: reason };
    }
    case 'api_error': {
      const type = word(end.type);
      const what = [end.status, type].filter((part) => part !== undefined && part !== '').join(':');
      const category = end.status === undefined ? type || 'api_error' : `http-${end.status}`;
      return { status: 'failed', terminationReason: `api_error:${what || 'unknown'}`, errorCategory: category };
    }
    default:
      return { status: 'aborted', terminationReason: end.kind };
  }
}

/** A type or reason as one short word: what a reporter writes there can be anything. */
function word(text: string): string {
  return text.replace(/[^\w.-]/g, '_').slice(0, 60);
}
