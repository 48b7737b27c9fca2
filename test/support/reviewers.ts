import { asReviewer } from '../../src/access/identity/caller.js';
import { ApprovalsModule } from '../../src/approvals/approvals.module.js';
import { ApproveProposal } from '../../src/approvals/decisions/approve.js';
import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import type { Proposal } from '../../src/approvals/proposals/proposal.js';
import { ProposalRepository } from '../../src/approvals/proposals/proposal.repository.js';
import type { ReviewerActor, ReviewScopePart } from '../../src/journal/actor.js';
import { Journal } from '../../src/journal/journal.service.js';
import { OrgEntries } from '../../src/memory/store/org-entries.service.js';
import type { TestApplication } from './application.js';
import { submitTestProposal } from './proposal-input.js';

/** The address that `app.person` registers. The gate compares it with the author of a publication. */
const emailOf = (name: string): string => `${name.toLowerCase().replaceAll(' ', '.')}@example.org`;

const actor = (id: string, name: string, reviewScope: readonly ReviewScopePart[] | null): ReviewerActor =>
  asReviewer({
    id,
    credentialId: id,
    kind: 'person',
    name,
    email: emailOf(name),
    reviewScope: reviewScope,
    owner: null,
    role: null,
    department: null,
    isReviewer: true,
    isAdmin: false,
    scopes: ['decide'],
    expiresAt: null,
  });

/** A reviewer as the guard creates it, for calling verbs without their routes. */
export async function reviewerOf(
  app: TestApplication,
  name: string,
  reviewScope: ReviewScopePart[] | null = null,
): Promise<ReviewerActor> {
  const { id } = await app.person(name, { reviewer: true });
  if (reviewScope !== null) await app.admin.people.change(id, { reviewScope: reviewScope });
  return actor(id, name, reviewScope);
}

/** A reviewer for the platform department only. Test proposals concern the whole organisation. */
export const reviewerOutOfScope = (app: TestApplication): Promise<ReviewerActor> =>
  reviewerOf(app, 'Petra Platform', [{ department: 'platform' }]);

/** An agent disguised as a reviewer, past the guard and the compiler. */
export async function impostorOf(app: TestApplication): Promise<ReviewerActor> {
  const { id } = await app.agent('Rita Impostor');
  return actor(id, 'Rita Impostor', null);
}

/** The stored proposal. */
export async function storedProposal(app: TestApplication, id: string): Promise<Proposal> {
  const found = await app.app.select(ApprovalsModule).get(ProposalRepository).find(app.database.client, id);
  if (!found) throw new Error('the proposal does not exist');
  return found;
}

/** The journal entries of a subject, oldest first. */
export async function journalOf(app: TestApplication, subject: string) {
  const { items } = await app.app.get(Journal).list({ subject, after: 0, limit: 500, order: 'oldest' });
  return items.map(({ action, actor: { kind, id }, data }) => ({ action, kind, by: id, data }));
}

/** Submits a proposal and approves it. Returns the proposal and its org memory entry. */
export async function liveSkillOf(
  app: TestApplication,
  reviewer: ReviewerActor,
  title: string,
  more: Partial<NewProposal> = {},
) {
  const { id, artifactSha256 } = await submitTestProposal(app, title, more);
  await app.app.get(ApproveProposal).approve(reviewer, id, artifactSha256);
  const approved = await storedProposal(app, id);
  const entry = await app.app.get(OrgEntries).liveSkill(approved.skillName);
  if (!entry) throw new Error('the skill is not live');
  return { approved, entry };
}
