import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formValuesOf, parseForm } from './edit-form.js';

const SKILL = {
  title: 'Title',
  discovery: 'Use it.',
  condition: 'Now.',
  action: 'Do it.',
  rationale: 'It worked.',
  steps: ['First.'],
  gotchas: [],
  tags: ['shell'],
};
const FENCE = '```sh\nnpm ci\n\n  echo done\n```';

const sent = (steps: readonly string[]) => parseForm(formValuesOf({ ...SKILL, steps: [...steps] }));

describe('the edit form', () => {
  it.each([
    ['a step for each line', ['One.', 'Two.']],
    ['a code block in a step', [`Run this:\n${FENCE}`, 'Stop.']],
    ['a step that is a code block', [FENCE]],
    ['an indented code block', ['Run this:\n\n    ```\n    npm ci\n    ```', 'Stop.']],
  ])('gives back %s', (_what, steps) => {
    expect(sent(steps)).toEqual({ proposedSkill: { ...SKILL, steps } });
    const browser = formValuesOf({ ...SKILL, steps }).steps.replaceAll('\n', '\r\n');
    expect(parseForm({ ...formValuesOf(SKILL), steps: browser })).toEqual({ proposedSkill: { ...SKILL, steps } });
  });

  it('gives back any steps', () => {
    const step = fc
      .array(fc.constantFrom('a', '```', '    b', '- c', '', '  '), { minLength: 1, maxLength: 6 })
      .map((lines) => lines.join('\n').trim())
      .filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (steps) => {
        expect(sent(steps)).toEqual({ proposedSkill: { ...SKILL, steps } });
      }),
    );
  });

  it('gives back cause, environment and example', () => {
    const parts = {
      cause: `Old:\n${FENCE}`,
      environment: [
        { name: 'python', value: '2.7.3' },
        { name: 'note', value: 'a: b' },
      ],
      example: {
        failed: { tool: 'shell', call: 'git push' },
        error: 'fatal: no upstream',
        between: [{ tool: 'search', call: '{"query":"<branch>"}' }],
        worked: { tool: 'shell', call: 'git push --set-upstream origin <branch>' },
      },
    };
    expect(parseForm(formValuesOf({ ...SKILL, ...parts }))).toEqual({ proposedSkill: { ...SKILL, ...parts } });
    const failed = { ...parts.example, worked: null, between: [] };
    expect(parseForm(formValuesOf({ ...SKILL, example: failed }))).toEqual({
      proposedSkill: { ...SKILL, example: failed },
    });
  });

  it('gives back a gate, which a browser sends only if its box is checked', () => {
    const gated = { ...SKILL, gate: true as const };
    expect(parseForm(formValuesOf(gated))).toEqual({ proposedSkill: gated });
    expect(parseForm({ ...formValuesOf(gated), gate: '' })).toEqual({ proposedSkill: SKILL });
    expect(parseForm({ ...formValuesOf(SKILL), gate: 'no' })).toEqual({ proposedSkill: SKILL });
  });

  it('names the part that is missing in an example or a fact', () => {
    expect(parseForm({ ...formValuesOf(SKILL), exampleWorked: 'npm ci', environment: 'python 2' })).toEqual({
      problems: [
        expect.stringMatching(/^Seen with.* 1: /),
        expect.stringMatching(/^Example: the call that failed: /),
        expect.stringMatching(/^Example: its error line: /),
      ],
    });
  });

  it('reads lines as before: blank ones separate nothing, and blanks around a line are dropped', () => {
    expect(parseForm({ ...formValuesOf(SKILL), steps: '\n One. \n\nTwo.\n', tags: 'a, b\nc,' })).toMatchObject({
      proposedSkill: { steps: ['One.', 'Two.'], tags: ['a', 'b', 'c'] },
    });
  });
});
