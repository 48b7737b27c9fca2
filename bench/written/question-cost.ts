import { loadConfig } from '../../src/platform/config/config.js';
import { costNano, priceOf, usd } from '../../src/propose/model/price.js';
import type { MeasuredSet } from '../transfer/measure-set.js';
import type { GivenAnswers } from './given-answers.js';
import type { ReplayedModel } from './replayed-model.js';

/** Tokens of the questions about all families of some sets, at four characters a token. */
export interface QuestionTokens {
  readonly questions: number;
  /** The instructions, which the provider can cache. */
  readonly system: number;
  /** What differs from family to family: the mean and the largest. */
  readonly user: number;
  readonly userMost: number;
  /** The mean of the answers that are replayed, of good ones alone. */
  readonly answer: number;
  /** US dollars for one family at the price of the default model: with the instructions in the cache, and without. */
  readonly usd: number;
  readonly usdUncached: number;
}

/** `answer`: the mean tokens of an answer. */
export function questionTokens(
  sets: ReadonlyMap<string, MeasuredSet>,
  model: ReplayedModel,
  answer: number,
): QuestionTokens {
  const all = [...sets.values()].flatMap(({ families }) => families.flatMap(({ question }) => question ?? []));
  const users = all.map((question) => model.tokensOf(question));
  const sum = users.reduce((one, other) => one + other, 0);
  const system = model.systemTokens;
  const user = Math.round(sum / Math.max(1, users.length));
  const price = priceOf(loadConfig({}));
  const nano = (cached: boolean): number =>
    costNano(
      {
        inputTokens: cached ? user : user + system,
        cacheReadTokens: cached ? system : 0,
        cacheWriteTokens: 0,
        outputTokens: answer,
      },
      price,
    );
  return {
    questions: users.length,
    system,
    user,
    userMost: Math.max(0, ...users),
    answer,
    usd: usd(nano(true)),
    usdUncached: usd(nano(false)),
  };
}

/** The mean tokens of the committed answers, at four characters a token. */
export function answerTokens({ bySet }: Pick<GivenAnswers, 'bySet'>): number {
  const lengths = [...bySet.values()].flat().map(({ answer }) => JSON.stringify(answer).length);
  return Math.round(lengths.reduce((sum, one) => sum + one, 0) / 4 / Math.max(1, lengths.length));
}
