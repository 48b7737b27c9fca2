import { Injectable } from '@nestjs/common';
import { createTwoFilesPatch } from 'diff';
import type { Caller } from '../../access/identity/caller.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Database } from '../../platform/database/database.js';
import { ContradictionRepository, type ShownRival } from '../contradictions/contradiction.repository.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item } from '../proposals/approval-item.js';
import { existing, toSummary } from '../proposals/approval-summary.js';
import type { Approval, ApprovalPage, ApprovalQuery, Findings, Risk } from '../proposals/approvals.schema.js';
import { renderArtifact } from '../proposals/artifact.js';
import { AudienceRepository } from '../proposals/audience.repository.js';
import type { Proposal } from '../proposals/proposal.schema.js';
import { riskOf } from '../proposals/risk.js';
import { makeSafe } from '../proposals/submission.js';
import { VoteRepository } from '../voting/vote.repository.js';
import { ClaimsRepository } from './claims.repository.js';
import { type QueuePage, QueuePageRepository } from './queue-page.repository.js';

/** Another wording of an item, as `Revisions.edit` would store it. */
export interface Preview {
  readonly artifact: string;
  readonly artifactSha256: string;
  readonly problems: readonly string[];
  readonly findings: Findings;
  readonly risk: Risk;
}

/** The queue, to read: what a reviewer needs for a decision. */
@Injectable()
export class ApprovalViews {
  constructor(
    private readonly database: Database,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly claims: ClaimsRepository,
    private readonly votes: VoteRepository,
    private readonly pages: QueuePageRepository,
    private readonly audiences: AudienceRepository,
    private readonly org: OrgEntries,
    private readonly contradictions: ContradictionRepository,
  ) {}

  async list(caller: Caller, query: ApprovalQuery): Promise<ApprovalPage> {
    const { ids, total, next } = await this.order(caller, query);
    const items = await this.items.ofIds(this.database.client, ids);
    const approvers = await this.votes.approvers(this.database.client, items);
    const alike = await this.items.clusterSizes(this.database.client, items);
    return {
      items: items.map((item) => toSummary(item, approvers.get(item.id) ?? [], alike.get(item.cluster) ?? 0)),
      total,
      next,
    };
  }

  /** The same as ids alone. */
  async order(caller: Caller, query: ApprovalQuery): Promise<QueuePage> {
    // Whoever is no reviewer has nothing to decide.
    if (query.mine && !caller.isReviewer) return { ids: [], total: 0, next: null };
    return this.pages.page(this.database.client, query, query.mine ? caller : undefined);
  }

  /** How many items wait, for whomever; counted to `MAX_COUNTED`. */
  waiting(): Promise<number> {
    return this.pages.countOf(this.database.client, { state: 'pending', limit: 1 });
  }

  async show(id: string): Promise<Approval> {
    const item = existing(await this.items.find(this.database.client, id), id);
    const earlierRejections = await this.earlierRejections(item);
    const decisions = await this.votes.list(this.database.client, id);
    const history = await this.journal.list({ subject: id, after: 0, limit: 500, order: 'oldest' });
    const approvers = (await this.votes.approvers(this.database.client, [item])).get(id) ?? [];
    const alike = await this.items.clusterSizes(this.database.client, [item]);
    const rivals = (await this.contradictions.rivals(this.database.client, [id])).get(id) ?? [];
    return {
      ...toSummary(item, approvers, alike.get(item.cluster) ?? 0),
      reopenedFrom: item.reopenedFromId,
      proposal: item.proposal,
      evidence: item.evidence,
      artifact: item.artifact,
      findings: item.findings,
      edit: item.edit,
      editedBy: await this.nameOf(item.editorId),
      earlierEditors: await this.namesOf(item.earlierEditorIds),
      ownedBy: await this.nameOf(item.sourceOwnerId),
      ...(await this.target(item, rivals)),
      contradicts: rivals.map(({ id, state, title, skillName, live, condition, action }) => ({
        ...{ id, state, title, condition, action },
        ...{ skillName: live?.skillName ?? skillName, isLive: live !== null },
      })),
      request: item.request,
      earlierRejections,
      decisions: decisions.map((decision) => ({ ...decision, decidedAt: decision.decidedAt.toISOString() })),
      history: history.items,
    };
  }

  /** Those of the items whose present revision this person approved: they wait for somebody else. */
  async votedBy(personId: string, items: readonly Pick<Item, 'id'>[]): Promise<Set<string>> {
    const approvers = await this.votes.approvers(this.database.client, items);
    return new Set([...approvers].flatMap(([id, people]) => (people.includes(personId) ? [id] : [])));
  }

  /** Those of the items that were approved. */
  async approved(ids: readonly string[]): Promise<Set<string>> {
    const items = await Promise.all(ids.map((id) => this.items.find(this.database.client, id)));
    return new Set(items.flatMap((item) => (item?.state === 'approved' ? [item.id] : [])));
  }

  /** How many agents there are to receive a skill. */
  reach(): Promise<number> {
    return this.audiences.reach(this.database.client);
  }

  /** What another wording would be, without writing anything: the file, why it could not be published, the findings. */
  async preview(id: string, proposal: Proposal): Promise<Preview> {
    const item = existing(await this.items.find(this.database.client, id), id);
    const safe = makeSafe({ proposal, evidence: item.evidence });
    const { bytes, sha256, problems } = renderArtifact({ ...item, approvalId: id }, safe.proposal, safe.evidence);
    const risk = riskOf(item.kind, safe.proposal, safe.evidence, safe.findings, await this.reach());
    return { artifact: bytes, artifactSha256: sha256, problems, findings: safe.findings, risk };
  }

  /** What people said before to the same pattern, or to the same request. */
  private async namesOf(ids: readonly string[]): Promise<string[]> {
    const names = await Promise.all(ids.map((id) => this.nameOf(id)));
    return names.flatMap((name) => name ?? []);
  }

  private async nameOf(principalId: string | null): Promise<string | null> {
    return principalId === null ? null : this.votes.nameOf(this.database.client, principalId);
  }

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
    const rejections = await this.claims.rejections(client, item.fingerprint);
    return rejections
      .filter(({ id }) => id !== item.id)
      .map(({ reason, decidedAt }) => ({ reason, decidedAt: decidedAt.toISOString() }));
  }

  /** The live skill that the item replaces, contradicts or ends, and how the two files differ; or it and its rival. */
  private async target(
    item: Item,
    [rival]: readonly ShownRival[],
  ): Promise<Pick<Approval, 'supersedes' | 'difference'>> {
    const entry = item.supersedesId === null ? undefined : await this.org.find(item.supersedesId);
    const approved = entry?.approvalId ? await this.items.find(this.database.client, entry.approvalId) : undefined;
    const file = `${item.skillName}/SKILL.md`;
    if (!entry && rival) {
      const other = `${rival.skillName}/SKILL.md`;
      const labels = [`${rival.state} (${rival.id})`, 'proposed'] as const;
      return {
        supersedes: null,
        difference: createTwoFilesPatch(other, file, rival.artifact, item.artifact, ...labels),
      };
    }
    if (!entry) return { supersedes: null, difference: null };
    const { condition, action } = entry.lesson.activation;
    const current = `${entry.skillName ?? item.skillName}/SKILL.md`;
    const [before, after] = [approved?.artifact ?? '', item.kind === 'retire' ? '' : item.artifact];
    return {
      supersedes: { id: entry.id, name: entry.skillName ?? '', condition, action },
      difference: createTwoFilesPatch(current, file, before, after, 'approved', 'proposed'),
    };
  }
}
