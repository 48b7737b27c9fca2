import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import {
  askedWords,
  englishInformation,
  logOddsByVector,
  logOddsByWords,
  MemoryWords,
  relevanceOf,
} from './evidence.js';

const memory = (discovery: string, action = 'Do it.') =>
  new MemoryWords(
    memoryEntry({
      lesson: {
        ...memoryEntry({}).lesson,
        discovery,
        steps: ['Go on.'],
        tags: [],
        activation: { condition: 'c', action, rationale: 'r' },
      },
    }),
  );
const LINT = memory(
  'pnpm lint fails with "Command not found"; it worked as "pnpm -w run lint".',
  'Use `pnpm -w run lint`.',
);
const RARE = () => 3;
const relevance = (query: string, of = LINT, rarityOf: (term: string) => number = RARE) =>
  relevanceOf(logOddsByWords(askedWords(query, rarityOf), of));

describe('the weight of a word in English', () => {
  it('is next to nothing for function words, also those of one letter, and highest for names of programs', () => {
    for (const word of ['a', 'the', 'to', 'what', 'with', 'i']) expect(englishInformation(word)).toBeLessThan(2.4);
    expect(englishInformation('pnpm')).toBe(9);
    expect(englishInformation('spring')).toBeGreaterThan(5);
    expect(englishInformation('2026')).toBe(2.5);
  });
});

describe('the relevance of a memory by its words', () => {
  it('is above a half for the failure that it is about, and below it for everyday prompts that share its words', () => {
    expect(relevance('pnpm lint\nCommand "lint" not found')).toBeGreaterThan(0.9);
    expect(relevance('Write a haiku about spring.')).toBe(0);
    expect(relevance('Was the command of the captain found to be true?')).toBeLessThan(0.5);
    expect(relevance('What a run! How it worked as we ran with the dogs.')).toBeLessThan(0.5);
  });

  it('is that of no common word for function words alone', () => {
    expect(logOddsByWords(askedWords('what is it with a', RARE), LINT)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('is above a half for a search by one rare word in a long memory', () => {
    const long = memory(`Puffin ${'then the next step follows '.repeat(20)}`);
    expect(relevance('puffin', long)).toBeGreaterThan(0.5);
    expect(relevance('follow', long)).toBeLessThan(0.5);
  });

  it('counts a compound name once, however many parts it has', () => {
    const words = askedWords('snake_case camelCase', RARE);
    expect(words.map((word) => word.map(({ term }) => term))).toEqual([
      ['snakecas', 'snake', 'case'],
      ['camelcas', 'camel'],
    ]);
  });

  it('is higher where the words stand together', () => {
    const together = memory('The release train leaves on Tuesday at noon, with all teams on board.');
    const apart = memory('The release of teams on Tuesday is at noon, with all on board of the train.');
    expect(relevance('release train', together)).toBeGreaterThan(relevance('release train', apart));
  });

  it('lies in [0, 1] for every query', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (query) => {
        const found = relevance(query);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the relevance of a memory by its vector', () => {
  const judge = (everyday: number[], cosine: number) => relevanceOf(logOddsByVector(everyday)(cosine));
  const wide = [0.1, 0.2, 0.15, 0.05, 0.25];

  it('is above a half only far outside the cosines of everyday texts, for any embedder', () => {
    expect(judge(wide, 0.2)).toBeLessThan(0.1);
    expect(judge(wide, 0.8)).toBeGreaterThan(0.5);
    expect(judge([0.7, 0.75, 0.72, 0.68], 0.75)).toBeLessThan(0.1);
  });

  it('is not lowered by a few memories that are everyday texts themselves', () => {
    expect(judge([0.1, 0.12, 0.11, 0.09, 0.08, 1], 0.9)).toBeGreaterThan(0.5);
  });
});
