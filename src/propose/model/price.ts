import type { Usage } from './proposer.js';

/** US dollars for a million tokens. */
export interface Price {
  readonly inputUsd: number;
  readonly outputUsd: number;
}

/** The provider's published prices of prompts below 100,000 tokens, as of November 2026. */
const LIST_PRICES: ReadonlyMap<string, Price> = new Map([
  ['claude-haiku-5-5', { inputUsd: 0.1, outputUsd: 0.5 }],
  ['claude-haiku-4-5', { inputUsd: 1, outputUsd: 5 }],
  ['claude-sonnet-5-5', { inputUsd: 2, outputUsd: 10 }],
  ['claude-opus-5-5', { inputUsd: 4, outputUsd: 20 }],
  ['claude-fable-5-1', { inputUsd: 10, outputUsd: 50 }],
]);

/** What a model of unknown price is counted at: a budget that guesses low is none. */
const HIGHEST_PRICE: Price = { inputUsd: 10, outputUsd: 50 };

/** Relative to input: what the provider takes for writing its prompt cache, and for reading from it. */
const CACHE_WRITE_FACTOR = 1.25;
const CACHE_READ_FACTOR = 0.1;

/** What the batch endpoint takes of the price (spec L5). */
export const BATCH_PRICE_SHARE = 0.5;

export interface PriceSettings {
  readonly proposerModel: string;
  readonly proposerInputPrice: number | undefined;
  readonly proposerOutputPrice: number | undefined;
}

/** The settings' prices, else the list's, else the dearest: `known` is false for the last. */
export function priceOf(settings: PriceSettings): Price & { readonly known: boolean } {
  const listed = LIST_PRICES.get(settings.proposerModel.replace(/-\d{8}$/, ''));
  const { inputUsd, outputUsd } = listed ?? HIGHEST_PRICE;
  const { proposerInputPrice: input, proposerOutputPrice: output } = settings;
  return {
    inputUsd: input ?? inputUsd,
    outputUsd: output ?? outputUsd,
    known: listed !== undefined || (input !== undefined && output !== undefined),
  };
}

/** Billionths of a dollar, rounded up; a dollar for a million tokens is a thousand of them for one. */
export function costNano(usage: Usage, { inputUsd, outputUsd }: Price, share = 1): number {
  const input =
    usage.inputTokens + CACHE_WRITE_FACTOR * usage.cacheWriteTokens + CACHE_READ_FACTOR * usage.cacheReadTokens;
  return Math.ceil(1_000 * share * (input * inputUsd + usage.outputTokens * outputUsd));
}

export const tokensOf = (usage: Usage): number =>
  usage.inputTokens + usage.cacheWriteTokens + usage.cacheReadTokens + usage.outputTokens;

export const usd = (nano: number): number => nano / 1_000_000_000;
