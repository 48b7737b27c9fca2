import { SECOND_MS } from '../../platform/base/durations.js';
import { count, measure } from '../../platform/telemetry/metrics.js';
import { inSpan } from '../../platform/telemetry/spans.js';
import type { Usage } from './proposer.js';

/** What a model is called for. */
export type ModelPurpose = 'lesson' | 'family' | 'wording' | 'verifier' | 'recall' | 'summary';

interface Answered {
  readonly outcome: string;
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
  count('guildbook_model_calls_total', { purpose, result: answer.outcome });
  const { usage } = answer;
  if (usage === undefined) return answer;
  const { inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens } = usage;
  const tokens = {
    input: inputTokens,
    cache_write: cacheWriteTokens,
    cache_read: cacheReadTokens,
    output: outputTokens,
  };
  for (const [kind, number] of Object.entries(tokens)) count('guildbook_model_tokens_total', { purpose, kind }, number);
  return answer;
}
