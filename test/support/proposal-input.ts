import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { SubmitProposal } from '../../src/approvals/submissions/submit.js';
import { jobActor } from '../../src/journal/actor.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import type { TestApplication } from './application.js';

const SHARE = { worked: 5, n: 6, rate: 0.83, low: 0.44, high: 0.97 };

export function testProposalInput(title: string, says: Partial<NewProposal['proposedSkill']> = {}): NewProposal {
  return {
    kind: 'new_skill',
    skillName: title,
    fingerprint: sha256(title),
    fingerprints: [sha256(title)],
    applicability: 'shell',
    actionFingerprint: sha256(`action of ${title}`),
    proposedSkill: {
      title,
      discovery: `Use when about to do what "${title}" is about.`,
      condition: `The task of "${title}" is next.`,
      action: 'Write the command with its long name.',
      rationale: '6 failures in 4 executions of 3 agents; the long name worked 5 of 6 times.',
      steps: ['Write the long name.', 'Keep the rest of the command.'],
      gotchas: [],
      tags: ['shell'],
      ...says,
    },
    evidence: {
      agents: 3,
      owners: 2,
      origins: 3,
      executions: 4,
      failures: 6,
      firstSeen: '2026-03-01T10:00:00.000Z',
      lastSeen: '2026-03-02T10:00:00.000Z',
      failing: { tool: 'shell', action: 'short', errorClass: 'NotFound', example: 'short: not found' },
      failureRate: SHARE,
      repeating: SHARE,
      alternatives: [{ ...SHARE, action: 'long', agents: 3, lift: 0.8 }],
      seenBy: [],
    },
    confidence: 0.9,
    impact: 18,
    supersedesId: null,
    // Not a cycle of this application, since the test submits these proposals.
    cycleId: '00000000-0000-4000-8000-000000000000',
  };
}

/** Submits a proposal as a cycle would, for tests of decisions that need several proposals. */
export async function submitTestProposal(
  app: Pick<TestApplication, 'app' | 'admin'>,
  title: string,
  more: Partial<NewProposal> = {},
  says: Partial<NewProposal['proposedSkill']> = {},
  seen: Partial<NewProposal['evidence']> = {},
): Promise<ProposalDetails> {
  const submission = testProposalInput(title, says);
  const evidence = { ...submission.evidence, ...seen };
  const { id } = await app.app.get(SubmitProposal).submit(jobActor('test'), { ...submission, evidence, ...more });
  return app.admin.proposals.show(id);
}
