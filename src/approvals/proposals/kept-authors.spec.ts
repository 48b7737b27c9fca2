import { expect, it } from '@jest/globals';
import { testProposalInput } from '../../../test/support/proposal-input.js';
import { withObservedCommands } from '../texts/observed-commands.js';
import { keptAuthors } from './new-proposal.js';

const { proposedSkill } = testProposalInput('Alpha');
const [first = ''] = proposedSkill.steps;
const authored = [
  { part: 'steps' as const, text: first, by: 'rita' },
  { part: 'title' as const, text: proposedSkill.title, by: 'rita' },
];
const kept = { from: 'p', parts: ['steps' as const], left: [] };

it('the author of a kept text is the one whom the approved proposal names for the same text', () => {
  const earlier = { state: 'approved', evidence: { authored } };
  expect(keptAuthors(kept, proposedSkill, earlier)).toEqual(authored.slice(0, 1));
  expect(keptAuthors(kept, { ...proposedSkill, steps: ['Another step.'] }, earlier)).toEqual([]);
});

it('a proposal that was not approved names no author', () => {
  expect(keptAuthors(kept, proposedSkill, { state: 'pending', evidence: { authored } })).toEqual([]);
  expect(keptAuthors(kept, proposedSkill, { state: 'approved', evidence: {} })).toEqual([]);
});

it('a kept text is held to the commands of the new evidence, though a person wrote it', () => {
  const steps = ['Run `python3 a.py`.', 'Run `python3 --isolated a.py`.'];
  const texts = { ...proposedSkill, steps };
  const calls = { worked: [{ tool: 'shell', call: 'python3 a.py' }], failed: [] };
  const byRita = steps.map((text) => ({ part: 'steps' as const, text, by: 'rita' }));
  expect(withObservedCommands(texts, { calls, authored: byRita }).steps).toEqual(steps);
  expect(withObservedCommands(texts, { calls, authored: byRita, kept }).steps).toEqual(steps.slice(0, 1));
});
