import { z } from 'zod';
import type { Usage } from './proposer.js';

const tokens = z.int().min(0).max(1_000_000_000);

/** The usage in an answer of the Messages API. */
export const ReportedUsage = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_creation_input_tokens: tokens.nullish(),
  cache_read_input_tokens: tokens.nullish(),
});
export type ReportedUsage = z.infer<typeof ReportedUsage>;

export const usageOf = (answered: ReportedUsage): Usage => ({
  inputTokens: answered.input_tokens,
  cacheWriteTokens: answered.cache_creation_input_tokens ?? 0,
  cacheReadTokens: answered.cache_read_input_tokens ?? 0,
  outputTokens: answered.output_tokens,
});

/** An estimate for an unknown tokenizer: no text that we measured has fewer bytes for a token. */
const BYTES_PER_TOKEN = 2;

/** Returns the maximum usage of a request: all of it written to the provider's cache, and the longest answer. */
export function maxUsageOf(request: { readonly max_tokens: number }): Usage {
  const bytes = Buffer.byteLength(JSON.stringify(request));
  return {
    inputTokens: 0,
    cacheWriteTokens: Math.ceil(bytes / BYTES_PER_TOKEN),
    cacheReadTokens: 0,
    outputTokens: request.max_tokens,
  };
}
