import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import type { Dossier } from '../../src/evidence/gates/dossier.schema.js';
import type { Binding, Check, Comparison, Verdict } from '../../src/evidence/predicate/check.schema.js';
import type { Predicate } from '../../src/evidence/predicate/predicate.schema.js';

export const PREDICATE: Predicate = {
  when: { tool: 'shell', args: '\\bpy2\\b', error: 'unknown option' },
  follow: { tool: 'shell', args: '\\bpy3\\b', sameAction: true },
};

export const BINDING: Binding = {
  harness: 'some-harness',
  project: 'shop',
  environment: [{ name: 'python', value: '2.7.18' }],
};

const COMPARISON: Comparison = {
  kind: 'form',
  with: { worked: 33, n: 47 },
  without: { worked: 1, n: 12 },
  difference: { value: 0.619, low: 0.34, high: 0.75 },
  p: 0.0002,
  withinAgents: { agents: 4, difference: 0.58, low: 0.3, high: 0.8 },
  pairs: { better: 6, worse: 0, p: 0.031 },
  permutation: 0.01,
  verdict: 'confirmed',
};

export const checkOf = (verdict: Verdict, more: Partial<Check> = {}): Check => ({
  verdict,
  split: 'origin',
  by: 'form',
  comparisons: [{ ...COMPARISON, verdict }],
  seen: { with: { worked: 4, n: 5 }, without: { worked: 0, n: 2 } },
  scope: { share: 0.82, n: 40 },
  withoutOneAgent: { confirmed: 9, of: 9 },
  withoutOneHarness: { confirmed: 2, of: 3 },
  ...more,
});

const ran = (call: string, ok: boolean | null, error: string | null = null) => ({
  call: { tool: 'shell', call },
  ok,
  error,
});

export const DOSSIER: Dossier = {
  kind: 'failure',
  signature: 'unknown option <value>',
  failures: 60,
  executions: 45,
  examined: 300,
  agents: 9,
  origins: 40,
  harnesses: [{ name: 'some-harness', n: 45 }],
  tools: [{ name: 'shell', n: 60 }],
  actions: [{ name: 'py2', n: 60 }],
  recovered: 33,
  examples: [
    {
      recovered: true,
      before: ran('ls jobs', true),
      failed: ran('py2 jobs/close.py', false, 'unknown option'),
      later: [ran('py3 jobs/close.py', true)],
    },
  ],
  environment: [{ name: 'python', value: '2.7.18' }],
};

/** What a checked proposal holds beside the texts of a test proposal. */
export const checkedEvidence = (verdict: Verdict): Partial<NewProposal['evidence']> => ({
  check: checkOf(verdict),
  dossier: DOSSIER,
  witnesses: { agents: 5, remedies: 2 },
});
