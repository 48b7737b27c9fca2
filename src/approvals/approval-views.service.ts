import { Injectable } from '@nestjs/common';
import { createTwoFilesPatch } from 'diff';
import { Journal } from '../journal/journal.service.js';
import { OrgEntries } from '../memory/org-entries.service.js';
import { Database } from '../platform/database.js';
import { ApprovalRepository } from './approval.repository.js';
import type { Item } from './approval-item.js';
import { existing, toSummary } from './approval-summary.js';
import type { Approval, ApprovalPage, ApprovalQuery } from './approvals.schema.js';

/** The queue, to read: what a reviewer needs for a decision. */
@Injectable()
export class ApprovalViews {
  constructor(
    private readonly database: Database,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly org: OrgEntries,
  ) {}

  async list(query: ApprovalQuery): Promise<ApprovalPage> {
    const { items, total, more } = await this.items.page(this.database.client, query);
    return { items: items.map(toSummary), total, next: more ? (items.at(-1)?.id ?? null) : null };
  }

  async show(id: string): Promise<Approval> {
    const item = existing(await this.items.find(this.database.client, id), id);
    const earlierRejections = await this.earlierRejections(item);
    const decisions = await this.items.decisions(this.database.client, id);
    const history = await this.journal.list({ subject: id, after: 0, limit: 500, order: 'oldest' });
    return {
      ...toSummary(item),
      proposal: item.proposal,
      evidence: item.evidence,
      artifact: item.artifact,
      findings: item.findings,
      edit: item.edit,
      ...(await this.target(item)),
      request: item.request,
      earlierRejections,
      decisions: decisions.map((decision) => ({ ...decision, decidedAt: decision.decidedAt.toISOString() })),
      history: history.items,
    };
  }

  /** What people said before to the same pattern, or to the same request. */
  private async earlierRejections(item: Item): Promise<Approval['earlierRejections']> {
    const { client } = this.database;
    if (item.request) {
      const before = (await this.items.requests(client, item.fingerprint)).filter(
        (request) => request.item.state === 'rejected' && request.item.id !== item.id,
      );
      return before.map(({ item: { decidedAt }, reason }) => ({
        reason: reason ?? '',
        decidedAt: decidedAt?.toISOString() ?? '',
      }));
    }
    const rejections = await this.items.rejections(client, item.fingerprint);
    return rejections
      .filter((rejection) => rejection.item.id !== item.id)
      .map(({ reason, decidedAt }) => ({ reason, decidedAt: decidedAt.toISOString() }));
  }

  /** The live skill that the item replaces, contradicts or ends, and how the two files differ. */
  private async target(item: Item): Promise<Pick<Approval, 'supersedes' | 'difference'>> {
    const entry = item.supersedesId === null ? undefined : await this.org.find(item.supersedesId);
    const approved = entry?.approvalId ? await this.items.find(this.database.client, entry.approvalId) : undefined;
    if (!entry) return { supersedes: null, difference: null };
    const { condition, action } = entry.lesson.activation;
    const file = `${item.skillName}/SKILL.md`;
    const current = `${entry.skillName ?? item.skillName}/SKILL.md`;
    const [before, after] = [approved?.artifact ?? '', item.kind === 'retire' ? '' : item.artifact];
    return {
      supersedes: { id: entry.id, name: entry.skillName ?? '', condition, action },
      difference: createTwoFilesPatch(current, file, before, after, 'approved', 'proposed'),
    };
  }
}
