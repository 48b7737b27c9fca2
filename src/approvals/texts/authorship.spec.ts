import { describe, expect, it } from '@jest/globals';
import { lossesOf } from '../proposals/new-proposal.js';
import { authorOf, authorsAfter, type SkillTexts } from './authorship.js';

const SKILL: SkillTexts = {
  title: 'A',
  discovery: 'B',
  condition: 'C',
  action: 'D',
  rationale: 'E',
  steps: ['One.', 'Two.'],
  gotchas: [],
};

describe('the authors of a proposed skill', () => {
  it('are the person of each text that an edit adds or changes', () => {
    const after = { ...SKILL, cause: 'F', steps: ['Two.', 'New.', 'One.'] };
    expect(authorsAfter(SKILL, after, [], 'ann')).toEqual([
      { part: 'cause', text: 'F', by: 'ann' },
      { part: 'steps', text: 'New.', by: 'ann' },
    ]);
  });

  it('stay with their texts through the edit of another person', () => {
    const first = { ...SKILL, steps: ['New.', 'Two.'] };
    const authored = authorsAfter(SKILL, first, [], 'ann');
    const second = authorsAfter(first, { ...first, steps: ['Two.', 'New.'], action: 'G' }, authored, 'bob');
    expect(second.map(({ text, by }) => [text, by])).toEqual([
      ['G', 'bob'],
      ['New.', 'ann'],
    ]);
    expect(authorOf(second, { part: 'steps', text: 'Two.' })).toBeUndefined();
    expect(authorsAfter(first, SKILL, authored, 'bob').map(({ text }) => text)).toEqual(['One.']);
  });
});

describe('a text that a person wrote', () => {
  const losses = (change: Partial<SkillTexts>) => lossesOf({ ...SKILL, ...change }, SKILL);
  const code = (...lines: string[]) => ['Run:', '```sh', ...lines, '```'].join('\n');

  it('is kept with its blocks of code', () => {
    const text = code('cat <<EOF > <file> && npm ci 2>&1', '\tif true; then echo "a"; fi', '', 'EOF');
    expect(losses({ steps: [text], action: text, cause: text, gotchas: [text] })).toEqual([]);
  });

  it.each([
    ['a condition with code', { condition: code('ls') }, /^condition cannot hold a code block/],
    ['an open fence', { steps: ['A.', '```\nls'] }, /^steps 2 has a fence .* never closed/],
    ['a command run on loading', { steps: [code('a !`b`')] }, /^steps 1 .* line 1 .*runs a command/],
    ['a file reference', { cause: code('ls', 'npm i @scope/x') }, /^cause .* line 2 .*attaches a file/],
    ['a tag', { gotchas: [code('</skill>')] }, /^gotchas 1 .*angle brackets/],
    ['a hidden character', { action: code('a\u200bb') }, /^action .*hidden character/],
  ])('is refused with its field and the reason: %s', (_what, change, message) => {
    expect(losses(change)).toEqual([expect.stringMatching(message)]);
  });

  it('is not judged again if it was there before', () => {
    const before = { ...SKILL, steps: ['```\nls'] };
    expect(lossesOf({ ...before, title: 'New' }, before)).toEqual([]);
  });
});
