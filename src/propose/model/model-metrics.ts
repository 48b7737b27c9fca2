import { SECOND_MS } from '../../platform/base/durations.js';
import type { Labels } from '../../platform/telemetry/metric-definitions.js';
import { count, measure } from '../../platform/telemetry/metrics.js';
import { inSpan } from '../../platform/telemetry/spans.js';
import type { Usage } from './proposer.js';

/** What a model is called for. */
export type ModelPurpose = Labels<'guildbook_model_calls_total'>['purpose'];

interface Answered {
  /** A lesson is the answer to a payload. */
  readonly outcome: 'lesson' | 'answer' | 'none' | 'unavailable';
  readonly usage?: Usage;
}

/** Measures a call of a model, and the tokens of its answer. */
export async function measureCall<T extends Answered>(purpose: ModelPurpose, call: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const answer = await inSpan('model call', { 'guildbook.purpose': purpose }, call, 'client');
  measure('guildbook_model_call_duration_seconds', (performance.now() - started) / SECOND_MS, { purpose });
  return countAnswer(purpose, answer);
}

/** Counts an answer, also one of a batch, for which no call waits. */
export function countAnswer<T extends Answered>(purpose: ModelPurpose, answer: T): T {
  const { outcome, usage } = answer;
  count('guildbook_model_calls_total', { purpose, result: outcome === 'lesson' ? 'answer' : outcome });
  if (usage === undefined) return answer;
  const { inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens } = usage;
  count('guildbook_model_tokens_total', { purpose, kind: 'input' }, inputTokens);
  count('guildbook_model_tokens_total', { purpose, kind: 'cache_write' }, cacheWriteTokens);
  count('guildbook_model_tokens_total', { purpose, kind: 'cache_read' }, cacheReadTokens);
  count('guildbook_model_tokens_total', { purpose, kind: 'output' }, outputTokens);
  return answer;
}
