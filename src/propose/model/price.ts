import type { Usage } from './proposer.js';

/** US dollars for a million tokens. */
export interface Price {
  readonly inputUsd: number;
  readonly outputUsd: number;
}

/** The provider's published prices for prompts below 100,000 tokens, as of November 2026. */
const LIST_PRICES: ReadonlyMap<string, Price> = new Map([
  ['claude-haiku-5-5', { inputUsd: 0.1, outputUsd: 0.5 }],
  ['claude-haiku-4-5', { inputUsd: 1, outputUsd: 5 }],
  ['claude-sonnet-5-5', { inputUsd: 2, outputUsd: 10 }],
  ['claude-opus-5-5', { inputUsd: 4, outputUsd: 20 }],
  ['claude-fable-5-1', { inputUsd: 10, outputUsd: 50 }],
]);

/** Used for a model of unknown price: an estimate that is too low would exceed the budget. */
const HIGHEST_PRICE: Price = { inputUsd: 10, outputUsd: 50 };

/** The provider's prices for writing to and reading from its prompt cache, relative to input tokens. */
const CACHE_WRITE_FACTOR = 1.25;
const CACHE_READ_FACTOR = 0.1;

/** The share of the price that the batch endpoint charges. */
export const BATCH_PRICE_SHARE = 0.5;

export interface PriceSettings {
  readonly proposerModel: string;
  readonly proposerInputPrice: number | undefined;
  readonly proposerOutputPrice: number | undefined;
}

/** Returns the prices of the settings, else the list prices, else the highest ones. `known` is false for the last. */
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

/** Returns billionths of a dollar, rounded up. One dollar for a million tokens is 1,000 billionths for a token. */
export function costNano(usage: Usage, { inputUsd, outputUsd }: Price, share = 1): number {
  const input =
    usage.inputTokens + CACHE_WRITE_FACTOR * usage.cacheWriteTokens + CACHE_READ_FACTOR * usage.cacheReadTokens;
  return Math.ceil(1_000 * share * (input * inputUsd + usage.outputTokens * outputUsd));
}

export const tokensOf = (usage: Usage): number =>
  usage.inputTokens + usage.cacheWriteTokens + usage.cacheReadTokens + usage.outputTokens;

export const usd = (nano: number): number => nano / 1_000_000_000;
