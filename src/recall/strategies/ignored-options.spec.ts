import { describe, expect, it } from '@jest/globals';
import { type NewRecall, RecallRequest } from '../ranking/recall.schema.js';
import { type ChosenWays, ignoredOptions } from './recall.service.js';

const CONTEXT: ChosenWays = { strategy: 'context', retrieval: 'words', hasSelector: false };
const warned = (request: Omit<NewRecall, 'query'>, ways: Partial<ChosenWays> = {}) =>
  ignoredOptions(RecallRequest.parse({ query: 'x', ...request }), { ...CONTEXT, ...ways });

describe('options without effect', () => {
  it('are those that the strategy ignores, all in one sentence', () => {
    expect(warned({ diversify: true }, { strategy: 'tool_based' })).toEqual([
      'The strategy "tool_based" ignores diversify.',
    ]);
    expect(warned({ rounds: 2, retrieval: 'hybrid', verifiedOnly: true }, { strategy: 'self_editing' })).toEqual([
      'The strategy "self_editing" ignores rounds, retrieval, verifiedOnly.',
    ]);
    const all = {
      limit: 3,
      diversify: true,
      rounds: 1,
      retrieval: 'words' as const,
      tools: ['Bash'],
      role: 'user' as const,
      sessionId: 's',
      newOnly: true,
      verifiedOnly: true,
      minRelevance: 0.5,
      steps: true,
      recentTools: ['Bash'],
      alreadyRead: ['a'],
    };
    const names =
      'limit, diversify, rounds, retrieval, tools, role, newOnly, verifiedOnly, minRelevance, recentTools, alreadyRead';
    for (const strategy of ['tool_based', 'self_editing'] as const)
      expect(warned(all, { strategy })).toEqual([`The strategy "${strategy}" ignores ${names}.`]);
  });

  it('are none where nothing was asked, or nothing that changes the result', () => {
    for (const strategy of ['context', 'tool_based', 'self_editing'] as const) {
      expect(warned({}, { strategy, hasSelector: true })).toEqual([]);
      expect(warned({ newOnly: false, verifiedOnly: false, rounds: 0, tools: [] }, { strategy })).toEqual([]);
      expect(warned({ tokenBudget: 500, sessionId: 's', agent: 'a' }, { strategy })).toEqual([]);
    }
    expect(warned({ limit: 3, diversify: true, rounds: 1, role: 'system', minRelevance: 0.5 })).toEqual([]);
  });

  it('are the tools of a retrieval without them, and diversity when a model selects', () => {
    expect(warned({ tools: ['Bash'] })).toEqual([
      'The retrieval "words" ignores tools: only "keyword_overlap" uses them.',
    ]);
    expect(warned({ tools: ['Bash'] }, { retrieval: 'keyword_overlap' })).toEqual([]);
    const unused = 'Nothing uses recentTools: no model selects, and the retrieval is not "keyword_overlap".';
    expect(warned({ recentTools: ['Bash'] })).toEqual([unused]);
    expect(warned({ recentTools: ['Bash'] }, { hasSelector: true })).toEqual([]);
    expect(warned({ recentTools: ['Bash'] }, { retrieval: 'keyword_overlap' })).toEqual([]);
    expect(warned({ steps: true, alreadyRead: ['a'] })).toEqual([]);
    expect(warned({ diversify: true }, { hasSelector: true })).toEqual([
      'The selection model ignores diversify: it chooses itself.',
    ]);
  });
});
