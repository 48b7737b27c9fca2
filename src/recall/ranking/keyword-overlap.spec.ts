import { describe, expect, it } from '@jest/globals';
import { keywordOverlapHits } from './keyword-overlap.js';

const entry = (id: string, discovery: string, steps: string[] = ['Do it.']) => ({
  id,
  lesson: {
    discovery,
    activation: { condition: 'x', action: 'y', rationale: 'z' },
    steps,
    confidence: 0.5,
    tags: [],
  },
});

describe('retrieval by keyword overlap', () => {
  it('gives a point for each longer word, and two for each tool of the agent that a memory names', () => {
    const entries = [
      entry('words', 'The nightly export needs python3'),
      entry('tool', 'Large files', ['Use Bash for the export']),
      entry('other', 'Nothing of it'),
    ];
    expect(keywordOverlapHits(entries, 'run the nightly export', ['Bash'])).toEqual(['tool', 'words']);
    expect(keywordOverlapHits(entries, 'run the nightly export', [])).toEqual(['words', 'tool']);
  });

  it.each(['Bash', 'shell', 'run_shell_command', 'exec_command'])(
    'boosts a memory about the command line for %s',
    (tool) => {
      const shown = entry('shown', 'Large files');
      const entries = [
        entry('words', 'Large files'),
        entry('said', 'Large files', ['Use the shell']),
        {
          ...shown,
          lesson: {
            ...shown.lesson,
            example: {
              failed: { tool: 'shell', call: 'python export.py' },
              error: 'SyntaxError',
              between: [],
              worked: { tool: 'shell', call: 'python3 export.py' },
            },
          },
        },
      ];
      expect(keywordOverlapHits(entries, 'large files', [tool, tool.toUpperCase()])).toEqual([
        'said',
        'shown',
        'words',
      ]);
    },
  );

  it.each([
    ['apply_patch', 'Edit'],
    ['MultiEdit', 'apply_patch'],
    ['read_file', 'Read'],
    ['WebFetch', 'web_fetch'],
  ])('boosts a memory that says %s for an agent that says %s, and no other one', (said, tool) => {
    const entries = [entry('other', 'Large export files'), entry('about', 'Large files', [`Use ${said} here`])];
    expect(keywordOverlapHits(entries, 'large', [tool])).toEqual(['about', 'other']);
    expect(keywordOverlapHits(entries, 'large', ['TodoWrite'])).toEqual(['other', 'about']);
  });

  it('does not take ordinary words for another tool', () => {
    const entries = [entry('text', 'Read the large files, then view them')];
    expect(keywordOverlapHits(entries, 'large', ['open_file'])).toEqual(['text']);
  });

  it('uses words of more than three letters among the first fifty, and returns the five best, with ties in order', () => {
    const entries = Array.from({ length: 7 }, (_, n) => entry(`m${n}`, n === 6 ? 'heron egret' : 'heron the run'));
    expect(keywordOverlapHits(entries, 'heron egret', [])).toEqual(['m6', 'm0', 'm1', 'm2', 'm3']);
    expect(keywordOverlapHits(entries, 'the run', [])).toEqual([]);
    expect(keywordOverlapHits(entries, `${'ox '.repeat(50)} heron`, [])).toEqual([]);
    expect(keywordOverlapHits(entries, `${' '.repeat(2_000)}heron`, [])).toEqual([]);
  });
});
