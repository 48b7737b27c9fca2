import { asReviewer } from '../../src/access/identity/caller.js';
import { ApprovalsModule } from '../../src/approvals/approvals.module.js';
import { ApproveProposal } from '../../src/approvals/decisions/approve.js';
import { ApprovalRepository } from '../../src/approvals/proposals/approval.repository.js';
import type { Item } from '../../src/approvals/proposals/approval-item.js';
import type { Submission } from '../../src/approvals/proposals/submission.js';
import type { Part, ReviewerActor } from '../../src/journal/actor.js';
import { Journal } from '../../src/journal/journal.service.js';
import { OrgEntries } from '../../src/memory/store/org-entries.service.js';
import type { TestApplication } from './application.js';
import { submitted } from './submission.js';

/** As `app.person` registers it: the gate compares it with the author of a publication. */
const emailOf = (name: string): string => `${name.toLowerCase().replaceAll(' ', '.')}@example.org`;

const actor = (id: string, name: string, remit: readonly Part[] | null): ReviewerActor =>
  asReviewer({
    ...{ id, kind: 'person', name, email: emailOf(name), remit, owner: null, role: null, department: null },
    ...{ isReviewer: true, isAdmin: false, scopes: ['decide'], expiresAt: null },
  });

/** A reviewer as the guard makes one: for the verbs themselves, without their routes. */
export async function reviewerOf(
  app: TestApplication,
  name: string,
  remit: Part[] | null = null,
): Promise<ReviewerActor> {
  const { id } = await app.person(name, { reviewer: true });
  if (remit !== null) await app.admin.people.change(id, { remit });
  return actor(id, name, remit);
}

/** Decides for the platform department alone: what the tests submit is about the whole organisation. */
export const reviewerElsewhere = (app: TestApplication): Promise<ReviewerActor> =>
  reviewerOf(app, 'Petra Platform', [{ department: 'platform' }]);

/** An agent in the clothes of a reviewer: past the guard and the compiler. */
export async function impostorOf(app: TestApplication): Promise<ReviewerActor> {
  const { id } = await app.agent('Rita Impostor');
  return actor(id, 'Rita Impostor', null);
}

/** The item as it is stored. */
export async function itemOf(app: TestApplication, id: string): Promise<Item> {
  const found = await app.app.select(ApprovalsModule).get(ApprovalRepository).find(app.database.client, id);
  if (!found) throw new Error('the item is gone');
  return found;
}

/** What the journal holds of a subject, oldest first. */
export async function journalOf(app: TestApplication, subject: string) {
  const { items } = await app.app.get(Journal).list({ subject, after: 0, limit: 500, order: 'oldest' });
  return items.map(({ action, actor: { kind, id }, data }) => ({ action, kind, by: id, data }));
}

/** A proposal that the reviewer approved, and the entry of org memory that it became. */
export async function liveSkillOf(
  app: TestApplication,
  reviewer: ReviewerActor,
  title: string,
  more: Partial<Submission> = {},
) {
  const { id, artifactSha256 } = await submitted(app, title, more);
  await app.app.get(ApproveProposal).approve(reviewer, id, artifactSha256);
  const approved = await itemOf(app, id);
  const entry = await app.app.get(OrgEntries).liveSkill(approved.skillName);
  if (!entry) throw new Error('the skill is not live');
  return { approved, entry };
}
