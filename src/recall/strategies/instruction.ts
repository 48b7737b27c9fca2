import { estimateTokens, TOKENS_OF_A_MESSAGE } from '../ranking/token-estimate.js';
import type { RecallResult } from '../search/recall-result.js';

const TOO_SMALL = 'The token budget is too small for the instruction of this strategy, so nothing is sent.';

/** A recall that delivers nothing. */
export const NOTHING: RecallResult = {
  messages: [],
  delivered: [],
  leftOut: [],
  requestContextCount: 0,
  tokens: 0,
  warnings: [],
};

/** A recall result with only the strategy's instruction; empty with a warning if the token budget is too small. */
export function instructionOnly(content: string, tokenBudget: number): RecallResult {
  const tokens = estimateTokens(content) + TOKENS_OF_A_MESSAGE;
  if (tokens > tokenBudget) return { ...NOTHING, warnings: [TOO_SMALL] };
  return { ...NOTHING, messages: [{ role: 'system', content }], tokens };
}
