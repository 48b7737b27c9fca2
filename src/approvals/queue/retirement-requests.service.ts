import { Inject, Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { isUniqueViolation, type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item } from '../proposals/approval-item.js';
import { expiryOf } from '../proposals/expiry.js';
import { newsOf } from '../proposals/news.js';
import { isMoreThan, requestFingerprint, requestOf } from '../proposals/retirement.js';
import type { RetirementRequest } from '../proposals/retirement-request.schema.js';
import { Withdrawals } from './withdrawals.service.js';

export type Opened = 'opened' | 'pending' | 'remembered' | 'gone';

/** The way into the queue for a job that finds a live skill wanting. A person decides; nothing here can. */
@Injectable()
export class RetirementRequests {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly org: OrgEntries,
    private readonly webhooks: WebhookOutbox,
    private readonly withdrawals: Withdrawals,
  ) {}

  /**
   * Asks people to retire a live skill: once for each reason while they have not answered. What they rejected is asked
   * again on materially more evidence only.
   */
  async open(actor: JobActor, skill: Pick<MemoryEntry, 'id' | 'skillName'>, asked: RetirementRequest): Promise<Opened> {
    const request = redactDeep(asked).value;
    const fingerprint = requestFingerprint(request.reason, skill.id);
    try {
      return await this.database.transaction(async (tx) => {
        const approved = await this.approvalOf(tx, skill);
        if (!approved) return 'gone';
        const [last] = await this.items.requests(tx, fingerprint);
        if (last?.item.state === 'pending') return 'pending';
        if (last?.item.state === 'rejected' && last.item.request && !isMoreThan(last.item.request, request))
          return 'remembered';
        await this.create(tx, actor, requestOf(approved, skill.id, request), fingerprint, request);
        return 'opened';
      });
    } catch (error) {
      if (isUniqueViolation(error)) return 'pending';
      throw error;
    }
  }

  /** Ends requests whose skill was replaced or retired since: nothing is left to decide. Returns how many. */
  async withdrawStale(actor: JobActor): Promise<number> {
    const pending = await this.items.pendingRequests(this.database.client);
    let withdrawn = 0;
    for (const { id, skillName, supersedesId } of pending) {
      if ((await this.org.liveSkill(skillName))?.id === supersedesId) continue;
      const data = { skillName, why: 'the skill was replaced or retired' };
      const isDone = await this.database.transaction(async (tx) => {
        const item = await this.items.lock(tx, id);
        return item?.state === 'pending' && (await this.withdrawals.withdraw(tx, actor, item, data));
      });
      if (isDone) withdrawn += 1;
    }
    return withdrawn;
  }

  /** How many requests of this reason wait. */
  async waiting(reason: RetirementRequest['reason']): Promise<number> {
    const pending = await this.items.pendingRequests(this.database.client);
    return pending.filter(({ request }) => request?.reason === reason).length;
  }

  private async approvalOf(
    tx: Tx,
    { id, skillName }: Pick<MemoryEntry, 'id' | 'skillName'>,
  ): Promise<Item | undefined> {
    const live = skillName === null ? undefined : await this.org.liveSkill(skillName, tx);
    if (live?.id !== id || live.approvalId === null) return undefined;
    return this.items.find(tx, live.approvalId);
  }

  private async create(
    tx: Tx,
    actor: JobActor,
    content: ReturnType<typeof requestOf>,
    fingerprint: string,
    request: RetirementRequest,
  ): Promise<void> {
    const id = this.ids.uuid();
    const now = this.clock.now();
    const expiresAt = expiryOf(now, this.config);
    await this.items.create(tx, content, { id, fingerprint, createdAt: now, expiresAt, request });
    await this.journal.append(tx, actor, {
      action: 'approval.retirement_requested',
      subject: { type: 'approval', id },
      data: { skillName: content.skillName, version: content.version, reason: request.reason, says: request.says },
    });
    await this.webhooks.announce(tx, newsOf('approval.submitted', { ...content, id }));
  }
}
