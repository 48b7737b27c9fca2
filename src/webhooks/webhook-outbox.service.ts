import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../platform/base/clock.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import type { SqlClient } from '../platform/database/sql-client.js';
import { CONFIG } from '../platform/platform.module.js';
import { traceHeaders } from '../platform/telemetry/spans.js';
import type { Sanitized } from '../untrusted/redaction/redact-deep.js';
import { WebhookRepository } from './webhook.repository.js';
import type { WebhookEvent } from './webhooks.schema.js';

export interface WebhookMessage {
  readonly type: WebhookEvent;
  /** Path on this server with more details. */
  readonly path: string;
  readonly data: Sanitized<Readonly<Record<string, unknown>>>;
}

/**
 * Stores messages for subscribed webhooks in the transaction of the event. They are sent later, so nothing waits for a
 * receiver.
 */
@Injectable()
export class WebhookOutbox {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly webhooks: WebhookRepository,
  ) {}

  async enqueue(tx: SqlClient, ...messages: readonly WebhookMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const now = this.clock.now();
    const subscribers = await this.webhooks.subscribers(tx, [...new Set(messages.map(({ type }) => type))]);
    const { traceparent } = traceHeaders();
    const deliveries = messages.flatMap((message) => {
      const body = this.bodyOf(message, now);
      return subscribers
        .filter(({ events }) => events.includes(message.type))
        .map(({ id: endpointId }) => ({
          id: this.ids.uuid(),
          endpointId,
          event: message.type,
          body,
          createdAt: now,
          nextAttemptAt: now,
          traceparent,
        }));
    });
    if (deliveries.length > 0) await this.webhooks.add(tx, deliveries);
  }

  private bodyOf({ type, path, data }: WebhookMessage, at: Date): string {
    const { publicUrl } = this.config;
    const link = publicUrl === undefined ? null : new URL(path, publicUrl).href;
    return JSON.stringify({ type, timestamp: at.toISOString(), data: { ...data, link } });
  }
}
