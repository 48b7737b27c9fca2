import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import { DEFAULT_PROFILE, RankingProfile } from '../ranking/ranking-profile.schema.js';
import { estimateTokens, TOKENS_OF_A_MESSAGE } from '../ranking/rendering.js';
import { NOTHING_DELIVERED } from '../ranking/session-history.js';
import type { FoundMemory } from '../ranking/source-ranking.js';
import { type AssemblyOptions, assembleRecall, bytesOf } from './recall-result.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const OPTIONS: AssemblyOptions = {
  agentId: 'me',
  now: NOW,
  weights: { words: 1, vectors: 1 },
  weak: false,
  profile: DEFAULT_PROFILE,
  deliveredBefore: NOTHING_DELIVERED,
  alreadyRead: new Set(),
  warnings: [],
  requestContext: [],
  tokenBudget: 10_000,
  limit: 10,
  diversify: false,
  role: 'user',
  nonce: '0123456789abcdef0123456789abcdef',
  isAllowed: () => true,
};
const LESSON = memoryEntry({}).lesson;
const found = (id: string, relevance: number, discovery = `Lesson ${id}`): FoundMemory => ({
  entry: memoryEntry({
    id,
    lesson: { ...LESSON, discovery },
    createdAt: '2026-01-01T00:00:00.000Z',
    scope: 'agent',
    agentId: 'other-agent',
  }),
  sourceRanks: { words: { rank: 1, relevance } },
});
const [A, B, C] = [found('a', 0.9), found('b', 0.6), found('c', 0.5)];
const idsOf = (options: Partial<AssemblyOptions>) => {
  const { delivered, leftOut } = assembleRecall([A, B, C], { ...OPTIONS, ...options });
  return [delivered.map(({ entry }) => entry.id), leftOut.map(({ entry, because }) => [entry.id, because])];
};

describe('the result of a recall', () => {
  it('is empty unless a memory reaches the threshold, and holds what comes close beside one that does', () => {
    expect(idsOf({})).toEqual([['a', 'b', 'c'], []]);
    expect(idsOf({ minRelevance: 0.85 })).toEqual([['a', 'b', 'c'], []]);
    const all = ['a', 'b', 'c'].map((id) => [id, 'below_threshold']);
    expect(idsOf({ minRelevance: 0.95 })).toEqual([[], all]);
    const profile = RankingProfile.parse({ version: 1, minRelevance: 0.95 });
    expect(idsOf({ profile, minRelevance: 0.1 })).toEqual([[], all]);
    const D = found('d', 0.2);
    const { delivered, leftOut } = assembleRecall([A, D], OPTIONS);
    expect(delivered.map(({ entry }) => entry.id)).toEqual(['a']);
    expect(leftOut).toEqual([{ entry: D.entry, because: 'below_threshold' }]);
  });

  it('is empty where only what may not be delivered reaches the threshold', () => {
    const isAllowed: AssemblyOptions['isAllowed'] = ({ id }) => id !== 'a';
    const left = [
      ['a', 'filtered'],
      ['b', 'below_threshold'],
      ['c', 'below_threshold'],
    ];
    expect(idsOf({ minRelevance: 0.85, isAllowed })).toEqual([[], left]);
    const deliveredBefore = { ...NOTHING_DELIVERED, ids: new Set(['a']) };
    expect(idsOf({ minRelevance: 0.85, deliveredBefore })[0]).toEqual([]);
  });

  it('holds weak matches by their titles, marked as such and without steps, if the request asks for them', () => {
    const D = found('d', 0);
    const weak = (minRelevance: number) => {
      const { delivered, messages } = assembleRecall([A, D], { ...OPTIONS, weak: true, steps: true, minRelevance });
      const lines = (messages[1]?.content ?? '').split('\n').slice(1, -1);
      return [delivered.map((one) => one.weak), lines.map((line) => JSON.parse(line).match)] as const;
    };
    expect(weak(0.5)).toEqual([
      [false, true],
      [undefined, expect.stringContaining('weak')],
    ]);
    expect(weak(0.95)[0]).toEqual([true, true]);
  });

  it('delivers at most the results of the profile', () => {
    const profile = RankingProfile.parse({ version: 1, maxResults: 1, minRelevance: 0.55 });
    expect(idsOf({ profile, minRelevance: 0.1 })).toEqual([
      ['a'],
      [
        ['b', 'beyond_limit'],
        ['c', 'beyond_limit'],
      ],
    ]);
  });

  it('has the stated tokens, never more than the budget, and the stated order', () => {
    const all = ['a', 'bb', 'ccc', 'dddd', 'eeeee'].map((id, at) => found(id.repeat(1 + at * 20), 0.9 - at / 100));
    fc.assert(
      fc.property(fc.nat({ max: 2_000 }), (tokenBudget) => {
        const { messages, delivered, leftOut, tokens } = assembleRecall(all, { ...OPTIONS, tokenBudget });
        const lines = (messages[1]?.content ?? '').split('\n').slice(1, -1);
        expect(lines.map((line) => JSON.parse(line).memory)).toEqual(delivered.map(({ entry }) => entry.id));
        expect(delivered.length + leftOut.length).toBe(all.length);
        const estimates = messages.map(({ content }) => estimateTokens(content) + TOKENS_OF_A_MESSAGE);
        expect(tokens).toBe(estimates.reduce((sum, one) => sum + one, 0));
        expect(tokens).toBeLessThanOrEqual(tokenBudget);
      }),
    );
  });

  it('warns about a budget that is too small for any memory, and says what would be enough', () => {
    const { warnings } = assembleRecall([A, B], { ...OPTIONS, tokenBudget: 40 });
    const needed = Number(/^The token budget of 40 is too small .* needs about (\d+)\.$/.exec(warnings[0] ?? '')?.[1]);
    expect(warnings).toHaveLength(1);
    expect(assembleRecall([A, B], { ...OPTIONS, tokenBudget: needed })).toMatchObject({ warnings: [], tokens: needed });
    expect(assembleRecall([A, B], { ...OPTIONS, tokenBudget: needed - 1 }).delivered).toEqual([]);
    expect(assembleRecall([], { ...OPTIONS, tokenBudget: 0 }).warnings).toEqual([]);
  });

  it('delivers steps as far as they fit, never instead of a memory, and says where it has more', () => {
    const all = [A, B, C].map((one) => ({
      ...one,
      entry: {
        ...one.entry,
        lesson: { ...one.entry.lesson, steps: ['Stop the queue', `Drain it ${'x'.repeat(200)}`] },
      },
    }));
    const recordsOf = (messages: readonly { content: string }[]) =>
      (messages[1]?.content ?? '')
        .split('\n')
        .slice(1, -1)
        .map((line): Record<string, string> => JSON.parse(line));
    const whole = assembleRecall(all, { ...OPTIONS, steps: true });
    expect(recordsOf(whole.messages).map((record) => [record['step 1'], record['step 2']?.length])).toEqual(
      all.map(() => ['Stop the queue', 209]),
    );
    expect(recordsOf(assembleRecall(all, OPTIONS).messages).every((record) => !('step 1' in record))).toBe(true);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.tokens + 10 }), (tokenBudget) => {
        const without = assembleRecall(all, { ...OPTIONS, tokenBudget });
        const { messages, delivered, tokens } = assembleRecall(all, { ...OPTIONS, tokenBudget, steps: true });
        expect(delivered).toEqual(without.delivered);
        expect(tokens).toBeLessThanOrEqual(Math.max(0, tokenBudget));
        for (const record of recordsOf(messages))
          expect(record['step 1'] ?? record['steps']).toBe(
            'step 1' in record ? 'Stop the queue' : '2 not shown: recall_memory gives them',
          );
      }),
    );
    const bytesLeft = bytesOf(assembleRecall(all, OPTIONS).messages);
    const full = assembleRecall(all, { ...OPTIONS, steps: true, deliveredBefore: { ids: new Set(), bytesLeft } });
    expect([full.delivered.length, bytesOf(full.messages) <= bytesLeft]).toEqual([3, true]);
  });

  it('omits memories and skills that the agent has read', () => {
    expect(idsOf({ alreadyRead: new Set(['a']) })).toEqual([['b', 'c'], [['a', 'already_read']]]);
    const skill: FoundMemory = { ...B, entry: { ...B.entry, scope: 'org', skillName: 'drain-queue' } };
    const { delivered, leftOut } = assembleRecall([A, skill], { ...OPTIONS, alreadyRead: new Set(['drain-queue']) });
    expect(delivered.map(({ entry }) => entry.id)).toEqual(['a']);
    expect(leftOut.map(({ because }) => because)).toEqual(['already_read']);
  });

  it('omits memories that the session has, in favour of new ones', () => {
    const deliveredBefore = { ids: new Set(['a']), bytesLeft: Number.POSITIVE_INFINITY };
    expect(idsOf({ deliveredBefore, limit: 1 })).toEqual([
      ['b'],
      [
        ['a', 'delivered_before'],
        ['c', 'beyond_limit'],
      ],
    ]);
  });

  it('ends at the remaining bytes of the session, including the framing', () => {
    const two = bytesOf(assembleRecall([A, B], OPTIONS).messages);
    expect(idsOf({ deliveredBefore: { ids: new Set(), bytesLeft: two } })).toEqual([
      ['a', 'b'],
      [['c', 'session_full']],
    ]);
    const { messages } = assembleRecall([A, B], { ...OPTIONS, deliveredBefore: { ids: new Set(), bytesLeft: 0 } });
    expect(messages).toEqual([]);
  });

  it('tells equal lessons once, and spends no tokens on the others', () => {
    const equal = Array.from({ length: 8 }, (_, n) => found(`e${n}`, 0.9 - n / 100, 'An equal lesson'));
    const one = assembleRecall(equal.slice(0, 1), OPTIONS);
    const { delivered, leftOut, tokens } = assembleRecall([...equal, B], OPTIONS);
    expect(delivered.map(({ entry }) => entry.id)).toEqual(['e0', 'b']);
    expect(leftOut.map(({ because }) => because)).toEqual(Array.from({ length: 7 }, () => 'repeats_another'));
    expect(assembleRecall(equal, OPTIONS).tokens).toBe(one.tokens);
    expect(tokens).toBeLessThan(2 * one.tokens);
    const deliveredBefore = { ids: new Set(['e3']), bytesLeft: Number.POSITIVE_INFINITY };
    expect(
      assembleRecall([...equal, B], { ...OPTIONS, deliveredBefore }).delivered.map(({ entry }) => entry.id),
    ).toEqual(['b']);
  });
});
