import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { costNano, priceOf } from './price.js';

const usage = (change = {}) => ({
  inputTokens: 0,
  cacheWriteTokens: 0,
  cacheReadTokens: 0,
  outputTokens: 0,
  ...change,
});
const settings = (proposerModel: string, input?: number, output?: number) => ({
  proposerModel,
  proposerInputPrice: input,
  proposerOutputPrice: output,
});
const million = 1_000_000;

describe('the cost of a call', () => {
  it.each([
    ['input', { inputTokens: million }, 2],
    ['output', { outputTokens: million }, 10],
    ['what is written to the cache', { cacheWriteTokens: million }, 2.5],
    ['what is read from it', { cacheReadTokens: million }, 0.2],
  ])('counts %s at its own price', (_what, change, dollars) => {
    expect(costNano(usage(change), { inputUsd: 2, outputUsd: 10 })).toBe(dollars * 1e9);
  });

  it('is rounded up, so that a thousand small calls are not free', () => {
    expect(costNano(usage({ cacheReadTokens: 1 }), { inputUsd: 0.001, outputUsd: 0 })).toBe(1);
  });

  it('is half in a batch', () => {
    expect(costNano(usage({ outputTokens: million }), { inputUsd: 2, outputUsd: 10 }, 0.5)).toBe(5e9);
  });

  it('never falls when usage rises', () => {
    const tokens = fc.nat(100_000);
    const any = fc.record({
      inputTokens: tokens,
      cacheWriteTokens: tokens,
      cacheReadTokens: tokens,
      outputTokens: tokens,
    });
    fc.assert(
      fc.property(any, fc.nat(1_000), (used, more) => {
        const price = { inputUsd: 0.1, outputUsd: 0.5 };
        for (const field of Object.keys(used) as (keyof typeof used)[])
          expect(costNano({ ...used, [field]: used[field] + more }, price)).toBeGreaterThanOrEqual(
            costNano(used, price),
          );
      }),
    );
  });
});

describe('the price of a model', () => {
  it('is the list price, also for a dated name', () => {
    expect(priceOf(settings('claude-haiku-5-5'))).toEqual({ inputUsd: 0.1, outputUsd: 0.5, known: true });
    expect(priceOf(settings('claude-haiku-4-5-20251001'))).toMatchObject({ inputUsd: 1, outputUsd: 5 });
  });

  it('is the highest one if the model is unknown, so that a budget in dollars still holds', () => {
    expect(priceOf(settings('a-model-of-ours'))).toEqual({ inputUsd: 10, outputUsd: 50, known: false });
  });

  it('is that of the settings, even if they say 0', () => {
    expect(priceOf(settings('a-model-of-ours', 0, 0))).toEqual({ inputUsd: 0, outputUsd: 0, known: true });
    expect(priceOf(settings('claude-haiku-5-5', undefined, 3))).toEqual({ inputUsd: 0.1, outputUsd: 3, known: true });
  });
});
