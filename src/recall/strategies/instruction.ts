import { estimateTokens, TOKENS_OF_A_MESSAGE } from '../ranking/token-estimate.js';
import type { RecallResult } from '../search/recall-result.js';

/** A recall that delivers nothing. */
export const NOTHING: RecallResult = {
  messages: [],
  delivered: [],
  leftOut: [],
  requestContextCount: 0,
  tokens: 0,
  warnings: [],
};

/** The memories of a result that count as delivered: not its weak matches. */
export const idsOf = ({ delivered }: RecallResult): string[] =>
  delivered.flatMap(({ entry, weak }) => (weak ? [] : [entry.id]));

const tooSmall = (needed: number, tokenBudget: number): string =>
  `The token budget of ${tokenBudget} is too small for the instruction of this strategy, which needs ${needed}, so nothing is sent.`;

/** A recall result with only the strategy's instruction; empty with a warning if the token budget is too small. */
export function instructionOnly(content: string, tokenBudget: number): RecallResult {
  const tokens = estimateTokens(content) + TOKENS_OF_A_MESSAGE;
  if (tokens > tokenBudget) return { ...NOTHING, warnings: [tooSmall(tokens, tokenBudget)] };
  return { ...NOTHING, messages: [{ role: 'system', content }], tokens };
}
