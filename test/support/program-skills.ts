import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import type { TestApplication } from './application.js';
import { checkedEvidence, PREDICATE } from './checked-proposal.js';
import { submitTestProposal } from './proposal-input.js';

interface ProgramSkill {
  readonly says?: Partial<NewProposal['proposedSkill']>;
  readonly verdict?: Parameters<typeof checkedEvidence>[0];
  /** The reviewer who marks it as a gate before the approval. */
  readonly gatedBy?: Awaited<ReturnType<TestApplication['person']>>;
}

/** Approves a skill against `program`, and waits until answers follow it. Returns its name. */
export async function approveProgramSkill(
  app: TestApplication,
  program: string,
  { says = {}, verdict = 'confirmed', gatedBy }: ProgramSkill = {},
): Promise<string> {
  const predicate = { ...PREDICATE, when: { tool: 'shell', args: `\\b${program}\\b`, error: 'unknown option' } };
  const { id, artifactSha256, proposedSkill, skillName } = await submitTestProposal(
    app,
    `Write py3 instead of ${program}`,
    {},
    { action: `Write \`py3\` in place of \`${program}\`.`, predicate, ...says },
    checkedEvidence(verdict),
  );
  const edited = gatedBy
    ? await gatedBy.client.proposals.edit(id, { artifactSha256, proposedSkill: { ...proposedSkill, gate: true } })
    : { artifactSha256 };
  await app.admin.proposals.approve(id, edited.artifactSha256);
  await answersFollow(app);
  return skillName;
}

/** A decision has an effect on answers within a second. */
export async function answersFollow(app: TestApplication): Promise<void> {
  await app.settled();
  app.clock.advance(1_001);
}
