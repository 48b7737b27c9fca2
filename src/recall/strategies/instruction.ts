import { estimateTokens, TOKENS_OF_A_MESSAGE } from '../ranking/token-estimate.js';
import type { RecallResult } from '../search/recall-result.js';

const TOO_SMALL = 'The token budget is too small for the instruction of this strategy, so nothing is sent.';

/** A recall result with only the strategy's instruction; empty with a warning if the token budget is too small. */
export function instructionOnly(content: string, tokenBudget: number): RecallResult {
  const tokens = estimateTokens(content) + TOKENS_OF_A_MESSAGE;
  const nothing = { delivered: [], leftOut: [], requestContextCount: 0 };
  if (tokens > tokenBudget) return { ...nothing, messages: [], tokens: 0, warnings: [TOO_SMALL] };
  return { ...nothing, messages: [{ role: 'system', content }], tokens, warnings: [] };
}
