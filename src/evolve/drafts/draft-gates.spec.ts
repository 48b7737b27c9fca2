import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observedWork, run } from '../../../test/support/observed-work.js';
import type { Draft } from './draft.js';
import { gateFindings } from './draft-gates.js';

const SYNTAX = 'SyntaxError: invalid syntax';
const executions = observedWork([
  { of: 24, calls: [run('python a.py', SYNTAX), run('python a.py', SYNTAX), run('python3 a.py')] },
]);
const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
const [learned] = runCycle({ executions, ...known, settings: CYCLE_DEFAULTS }).drafts;

function draft(text: Partial<Draft['text']> = {}, more: Partial<Pick<Draft, 'calls' | 'evidence'>> = {}) {
  if (!learned) throw new Error('no draft');
  const { calls, evidence } = learned;
  return { calls, evidence, ...more, text: { ...learned.text, ...text } };
}

const refused = (...of: Parameters<typeof draft>) =>
  gateFindings(draft(...of)).map(({ gate, part, text }) => `${gate} ${part}: ${text}`);

describe('the gates of a draft', () => {
  it('let through what rules word from observed calls', () => {
    expect(refused()).toEqual([]);
  });

  it('refuse an option, a program and a cause that no observed call and no evidence shows', () => {
    expect(refused({ steps: ['Run `python3 --isolated a.py`.'] })).toEqual([
      expect.stringMatching(/^grounding steps.*--isolated/),
    ]);
    expect(refused({ action: 'Run `pypy3 a.py`.' })).toEqual([expect.stringMatching(/^grounding action.*pypy3/)]);
    expect(refused({ cause: 'It needs `libfoo_2`.' })).toEqual([expect.stringMatching(/^grounding cause.*libfoo_2/)]);
  });

  it('accept what an observed call shows, also if the dossier does not', () => {
    const steps = ['Run `python3 --isolated a.py`.'];
    const worked = [{ tool: 'shell', call: 'python3 --isolated a.py' }];
    expect(refused({ steps }, { calls: { worked, failed: [] } })).toEqual([]);
  });

  it('refuse a skipped check, but for one that was observed, which the reviewer sees as critical', () => {
    const steps = ['Run `git commit --no-verify`.'];
    const calls = { worked: [{ tool: 'shell', call: 'git commit --no-verify' }], failed: [] };
    expect(refused({ steps }, { calls }).join()).toMatch(/^lint steps.*--no-verify/);
    const { evidence } = draft();
    const danger = {
      class: 'check',
      program: 'git',
      form: 'commit --no-verify',
      call: 'git commit --no-verify',
    } as const;
    const chosen = { ...evidence.chosen, dangers: [{ ...danger, times: 3 }] };
    expect(refused({ steps }, { calls, evidence: { ...evidence, chosen } })).toEqual([]);
  });
});
