import { describe, expect, it } from '@jest/globals';
import { renderArtifact } from '../proposals/artifact.js';
import type { Evidence, ProposedSkill } from '../proposals/proposed-skill.schema.js';
import { amendmentOf } from './amendment.js';

const SHARE = { worked: 5, n: 6, rate: 0.83, low: 0.44, high: 0.97 };
const evidence: Evidence = {
  ...{ agents: 3, owners: 2, origins: 3, executions: 4, failures: 6 },
  ...{ firstSeen: '2026-03-01T10:00:00.000Z', lastSeen: '2026-03-02T10:00:00.000Z' },
  failing: { tool: 'shell', action: 'short', errorClass: 'NotFound', example: 'short: not found' },
  ...{ failureRate: SHARE, repeating: SHARE, seenBy: [] },
  alternatives: [{ ...SHARE, action: 'long', agents: 3, lift: 0.8 }],
};
const live: ProposedSkill = {
  title: 'Keep <errors> & go on',
  discovery: 'Use when 2>&1 is missing.',
  condition: '# of errors is unknown.',
  action: 'Write `cmd 2>&1 | tee log` and @scope/pkg.',
  rationale: '[REDACTED:key] was needed.',
  steps: ['- first', 'Say &lt; for <.'],
  gotchas: [],
  tags: ['shell', 'a & b'],
};
const proposal = { proposalId: '0b0e6c0a-3c1f-4d5e-8f70-9a1b2c3d4e5f', skillName: 'keep-errors', version: 1 };
const approved = renderArtifact(proposal, live, evidence).bytes;
const base = { proposedSkill: live, artifact: approved };
const edit = (from: string, to: string): string => {
  expect(approved).toContain(from);
  return approved.replace(from, to);
};

describe('what a hand edit proposes', () => {
  it('is the live proposal to the letter when nothing was changed', () => {
    expect(amendmentOf(live, base, approved)).toEqual({ proposedSkill: live, notes: [] });
  });

  it.each<[string, string, Partial<ProposedSkill>]>([
    ['one step', edit('1. \\- first', '1. first'), { steps: ['first', live.steps[1] ?? ''] }],
    [
      'a new first step, above one that breaks something',
      edit('1. \\- first', '1. Wait.\n2. \\- first'),
      { steps: ['Wait.', ...live.steps] },
    ],
    ['a gotcha in place of none', edit('- None recorded yet.', '- Slow.'), { gotchas: ['Slow.'] }],
    [
      'a gotcha beside the line for none',
      edit('- None recorded yet.', '- None recorded yet.\n- Slow.'),
      { gotchas: ['Slow.'] },
    ],
    ['tags', edit('"shell, a & b"', '"shell, log"'), { tags: ['shell', 'log'] }],
    [
      'a text with what the renderer breaks, typed plainly',
      edit('of errors is', 'of <errors> is'),
      { condition: '# of <errors> is unknown.' },
    ],
  ])('is that with %s, where only that was changed', (_what, edited, changed) => {
    expect(amendmentOf(live, base, edited)).toEqual({ proposedSkill: { ...live, ...changed }, notes: [] });
  });

  it('keeps what another version changed meanwhile, where the edit of the older one did not', () => {
    const now = { ...live, rationale: 'It was measured again.', steps: ['Wait.', ...live.steps] };
    const edited = edit('- None recorded yet.', '- Slow.');
    expect(amendmentOf(now, base, edited)).toEqual({ proposedSkill: { ...now, gotchas: ['Slow.'] }, notes: [] });
  });

  it.each([
    ['a version', edit('version: "1"', 'version: "9"')],
    ['a right', edit('metadata:', 'allowed-tools: "Bash(*)"\nmetadata:')],
    ['the evidence', edit('agents: 3,', 'agents: 300,')],
  ])('leaves out what Guildbook writes by itself, and says so: %s', (_what, edited) => {
    expect(amendmentOf(live, base, edited)).toEqual({
      proposedSkill: live,
      notes: [{ line: expect.any(Number), message: expect.stringContaining('written by Guildbook'), carried: false }],
    });
  });

  it('notices that a line of Guildbook was taken out', () => {
    const closing = /If the failure is still there[^\n]*\n/.exec(approved)?.[0] ?? '';
    expect(amendmentOf(live, base, edit(closing, ''))).toMatchObject({
      proposedSkill: live,
      notes: [{ carried: false }],
    });
  });

  it('is refused with the field that is too long', () => {
    const edited = edit('1. \\- first', `1. ${'x'.repeat(501)}`);
    expect(amendmentOf(live, base, edited)).toEqual({
      problems: [{ line: 1, message: expect.stringMatching(/^steps\.0: /) }],
    });
  });
});
