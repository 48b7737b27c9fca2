import { describe, expect, it } from '@jest/globals';
import { recordedCall, worked } from '../../../test/support/recorded-calls.js';
import { sayWhatIsCounted } from './step-words.js';

const nothing = { taught: [], avoided: [], action: 'shell' };
const predicate = {
  when: { error: 'SyntaxError' },
  follow: { tool: 'shell', args: '(^|\\s)python3\\s' },
  against: { tool: 'shell', args: '(^|\\s)python\\s' },
} as const;

describe('the steps of a lesson', () => {
  it('say what is counted by a word of its patterns, a taught name or a tool', () => {
    expect(sayWhatIsCounted(['Run it with python3.'], predicate, nothing, null)).toBe(true);
    expect(sayWhatIsCounted(['Set NODE_ENV first.'], predicate, { ...nothing, taught: ['NODE_ENV'] }, null)).toBe(true);
    const load = { when: { error: 'schema' }, follow: { tool: 'toolsearch|load' } };
    expect(sayWhatIsCounted(['Call toolsearch.'], load, nothing, null)).toBe(true);
  });

  it('say it as well by what they leave out', () => {
    const without = { when: { error: 'no such' }, follow: { notArgs: 'cd testbed', sameAction: true } };
    expect(sayWhatIsCounted(['Leave `cd testbed` out.'], without, nothing, null)).toBe(true);
  });

  it('say it as well by a word of the calls that show it', () => {
    const kept = { when: { error: 'no file' }, follow: { args: '\\bcat <<' }, attempt: { sameAction: true } };
    const call = recordedCall({ ...worked('cat <<EOF >a.py'), goal: 'file:write' }, 1);
    const shown = { steps: [call], after: call };
    expect(sayWhatIsCounted(['Write the script first.'], kept, nothing, shown)).toBe(true);
    expect(sayWhatIsCounted(['Write the script first.'], kept, nothing, null)).toBe(false);
  });

  it('do not say it if they are about something else', () => {
    const steps = ['Report that the task is done, although the call failed.'];
    expect(sayWhatIsCounted(steps, predicate, nothing, null)).toBe(false);
    const prose = { when: { error: 'x' }, follow: { notArgs: '^(to|I|the|you|this)\\b' } };
    expect(sayWhatIsCounted(steps, prose, nothing, null)).toBe(false);
  });
});
