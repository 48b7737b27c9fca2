import { Inject, Injectable } from '@nestjs/common';
import { Journal, type JournalRecord } from '../journal/journal.service.js';
import { Clock } from '../platform/base/clock.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import type { SqlClient } from '../platform/database/sql-client.js';
import { CONFIG } from '../platform/platform.module.js';
import { traceHeaders } from '../platform/telemetry/spans.js';
import { redactDeep } from '../untrusted/redaction/redact-deep.js';
import { ANNOUNCED_EVENTS } from './announced-events.js';
import { type AnnouncedProposal, WebhookRepository } from './webhook.repository.js';

/**
 * Stores messages for subscribed webhooks in the transaction that writes the journal entry of their event. They are sent
 * later, so nothing waits for a receiver.
 */
@Injectable()
export class WebhookOutbox {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly webhooks: WebhookRepository,
    journal: Journal,
  ) {
    journal.follow((tx, records) => this.announce(tx, records));
  }

  private async announce(tx: SqlClient, records: readonly JournalRecord[]): Promise<void> {
    const announced = records.flatMap((record) =>
      (ANNOUNCED_EVENTS.get(record.action) ?? []).map((type) => ({ type, record })),
    );
    if (announced.length === 0) return;
    const subscribers = await this.webhooks.subscribers(tx, [...new Set(announced.map(({ type }) => type))]);
    if (subscribers.length === 0) return;
    const proposals = await this.webhooks.proposals(
      tx,
      announced.flatMap(({ record }) => proposalOf(record) ?? []),
    );
    const now = this.clock.now();
    const { traceparent } = traceHeaders();
    const deliveries = announced.flatMap(({ type, record }) => {
      const data = { ...redactDeep(dataOf(record, proposals)).value, link: this.linkTo(record) };
      const body = JSON.stringify({ type, timestamp: now.toISOString(), data });
      return subscribers
        .filter(({ events }) => events.includes(type))
        .map(({ id: endpointId }) => ({
          id: this.ids.uuid(),
          endpointId,
          event: type,
          body,
          createdAt: now,
          nextAttemptAt: now,
          traceparent,
        }));
    });
    if (deliveries.length > 0) await this.webhooks.add(tx, deliveries);
  }

  /** The page of the console about it; null if the server does not know its own address. */
  private linkTo({ subject: { type, id }, data }: JournalRecord): string | null {
    const { publicUrl } = this.config;
    if (publicUrl === undefined) return null;
    const pages: Record<string, string> = {
      proposal: `/review/${id}`,
      memory: `/skills/${String(data?.['skillName'])}`,
      cycle: `/cycles/${id}`,
    };
    return new URL(pages[type] ?? '/cycles', publicUrl).href;
  }
}

/** The proposal that an entry is about. A skill is superseded by one. */
function proposalOf({ subject, data }: JournalRecord): string | undefined {
  if (subject.type === 'proposal') return subject.id;
  return subject.type === 'memory' ? String(data?.['by']) : undefined;
}

/** Enough to find a proposal, but nothing of its file. Of everything else, what the journal says. */
function dataOf(record: JournalRecord, proposals: ReadonlyMap<string, AnnouncedProposal>): object {
  const { subject, action, data } = record;
  const proposal = proposals.get(proposalOf(record) ?? '');
  if (proposal === undefined) return { id: subject.id, ...data };
  return {
    ...proposal,
    ...(action === 'proposal.overridden' ? { override: true } : {}),
    ...(subject.type === 'memory' ? { supersededId: subject.id } : {}),
  };
}
