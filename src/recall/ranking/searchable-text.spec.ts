import { describe, expect, it } from '@jest/globals';
import { searchableText, withoutPlaceholders } from './searchable-text.js';

const activation = { condition: 'Not said.', action: 'Tag it with <image tag>', rationale: 'It works' };

describe('the searchable text of a memory', () => {
  it('leaves out placeholders and what was not said', () => {
    expect(withoutPlaceholders('cp <source folder> [path]/a [REDACTED:jwt] a[0]').split(/\s+/)).toEqual([
      'cp',
      '/a',
      'a[0]',
    ]);
    const lesson = { discovery: 'Tagging', activation, steps: ['<step>'], confidence: 1, tags: [] };
    expect(searchableText({ lesson })).toEqual({ about: ['Tagging'], rest: ['Tag it with  ', 'It works'] });
  });

  it('holds the error line beside the discovery, and the cause, the calls and the environment in the rest', () => {
    const lesson = {
      discovery: 'Tagging',
      activation,
      steps: ['x'],
      confidence: 1,
      tags: ['t'],
      cause: 'No daemon',
      environment: [{ name: 'docker', value: '27' }],
      example: {
        failed: { tool: 'shell', call: 'docker tag' },
        error: 'no such image',
        between: [{ tool: 'lookup', call: '{"name":"a"}' }],
        worked: null,
      },
    };
    const { about, rest } = searchableText({ lesson, skillName: 'tag-images' });
    expect(about).toEqual(['Tagging', 'no such image']);
    expect(rest).toEqual(
      expect.arrayContaining(['tag-images', 'No daemon', 'docker tag', 'lookup {"name":"a"}', 'docker 27']),
    );
  });
});
