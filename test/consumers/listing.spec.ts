import { describe, expect, it } from '@jest/globals';
import { differences, fromGemini, fromJson, fromPrompt, fromSkills, stringsOf } from './listing.js';

const expected = [{ name: 'retry-once', description: 'Use when it fails: (try) again.' }];

describe('a consumer passes', () => {
  it.each([
    ['Claude Code', fromPrompt('Skills:\n- plugin:retry-once: Use when it fails: (try) again.\n- other: x', 'plugin:')],
    ['Codex', fromPrompt('- plugin:retry-once: Use when it fails: (try) again. (file: r1/SKILL.md)', 'plugin:')],
    ['Gemini CLI', fromGemini('retry-once [Enabled]\n  Description: Use when it fails: (try) again.\n  Location: /x')],
    ['OpenCode', fromJson('[{"name":"retry-once","description":"Use when it fails: (try) again."}]')],
    [
      'skills',
      fromSkills(
        '│\n◇  Available Skills\nGuildbook\n│\n│    \u001b[36mretry-once\u001b[0m\n│\n│      Use when it fails: (try) again.\n',
      ),
    ],
  ])('when %s lists each skill with its description', (_name, listing) => {
    expect(differences(listing, expected)).toEqual([]);
    expect(differences(listing, [{ name: 'never-published', description: 'x' }])).toEqual([
      'never-published is not listed',
    ]);
  });

  it('only when the description is there, and whole', () => {
    expect(differences(new Map([['retry-once', 'Use when']]), expected)).toHaveLength(1);
    expect(differences(fromSkills('│    retry-once'), expected)).toEqual(['retry-once is not listed']);
    expect(differences(fromGemini('retry-once [Disabled]\n  Description: x'), expected)).toHaveLength(1);
  });

  it('by the request that it sends to a model, wherever the listing is in it', () => {
    const request = JSON.stringify({ a: [{ text: 'x\n- plugin:retry-once: Use when it fails: (try) again.\n' }] });
    expect(differences(fromPrompt(stringsOf(request), 'plugin:'), expected)).toEqual([]);
  });
});
