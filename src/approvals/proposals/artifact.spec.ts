import { describe, expect, it } from '@jest/globals';
import { testProposalInput } from '../../../test/support/proposal-input.js';
import { artifactOf } from './artifact.js';

/** The text below "Why" of a file with this rationale, worded by rules. */
function whyOf(rationale: string): string | undefined {
  const { proposedSkill, evidence, skillName } = testProposalInput('write-long-names', { rationale });
  const identity = { proposalId: '00000000-0000-4000-8000-000000000001', skillName, version: 1 };
  return /## Why\n\n(.+)\n/.exec(artifactOf(identity, proposedSkill, evidence))?.[1];
}

describe('the reason in a file', () => {
  it.each([
    ['It works because python3 is newer.', 'It works because python3 is newer.'],
    ['It worked 5 of 6 times. The long name is installed.', 'The long name is installed.'],
    ['The long name overcame it; the short one worked 1 of 9 times.', 'The long name overcame it.'],
    ['It worked 5 of 6 times; the short name is not installed.', 'The short name is not installed.'],
    ['It worked 5 of 6 times.', undefined],
  ])('of "%s" is "%s"', (rationale, why) => {
    expect(whyOf(rationale)).toBe(why);
  });

  it('keeps the digits of a command', () => {
    const { proposedSkill, evidence, skillName } = testProposalInput('use-20', {
      rationale: 'Running `nvm use 20` overcame it.',
    });
    const calls = { worked: [{ tool: 'shell', call: 'nvm use 20' }], failed: [] };
    const identity = { proposalId: '00000000-0000-4000-8000-000000000001', skillName, version: 1 };
    expect(artifactOf(identity, proposedSkill, { ...evidence, calls })).toContain('Running `nvm use 20` overcame it.');
  });
});
