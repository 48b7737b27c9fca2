import { Injectable } from '@nestjs/common';
import { jobActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { ScheduledJob } from '../platform/background/scheduled-jobs.service.js';
import { defineWorker } from '../platform/background/worker.js';
import { Clock } from '../platform/base/clock.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/base/durations.js';
import { Database } from '../platform/database/database.js';
import { inTrace } from '../platform/telemetry/spans.js';
import { writeMessage } from './chat-message.js';
import { type ClaimedDelivery, PENDING_DELIVERIES, WebhookRepository } from './webhook.repository.js';
import { WebhookSender } from './webhook-sender.service.js';

/** Longer than one attempt takes. Afterwards another process may try. */
const LEASE_MS = MINUTE_MS;
/** Pauses after failed attempts, about one day in all. Then the delivery has failed. */
const PAUSES_MS = [60, 300, 1_800, 7_200, 18_000, 28_800, 28_800].map((seconds) => seconds * SECOND_MS);
const GONE = 410;
const KEPT_MS = 30 * DAY_MS;

/** Drains the webhook outbox. Delivery is at least once: a receiver recognises a repetition by its `webhook-id`. */
@Injectable()
export class WebhookDeliveryWorker extends defineWorker({
  every: 5 * SECOND_MS,
  queues: { webhooks: PENDING_DELIVERIES },
}) {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly webhooks: WebhookRepository,
    private readonly sender: WebhookSender,
  ) {
    super();
  }

  /** Makes one attempt and records its result. If `isLast` is true, a failure is final. */
  async attempt(delivery: ClaimedDelivery, isLast = delivery.attempts > PAUSES_MS.length): Promise<void> {
    const { attempts, traceparent } = delivery;
    const message = { ...delivery, body: writeMessage(delivery.format, delivery.body) };
    const attempt = () => this.sender.send(message, this.clock.now());
    const { isAccepted, status, answer } = await inTrace(traceparent, attempt);
    const at = this.clock.now();
    const state = isAccepted ? 'delivered' : isLast || status === GONE ? 'failed' : 'pending';
    await this.database.transaction(async (tx) => {
      await this.webhooks.recordAttempt(tx, delivery, {
        state,
        status,
        answer,
        at,
        nextAttemptAt: new Date(at.getTime() + (PAUSES_MS[attempts - 1] ?? 0)),
      });
      if (status === GONE && (await this.webhooks.disable(tx, delivery.endpointId, at)))
        await this.journal.append(tx, jobActor('webhooks'), {
          action: 'webhook.disabled',
          subject: { type: 'webhook', id: delivery.endpointId },
          data: { status },
        });
    });
  }

  /** Deletes deliveries that ended more than 30 days ago. Returns their number. */
  @ScheduledJob({ name: 'webhook-purge', schedule: () => ({ everyMs: HOUR_MS }) })
  purge(): Promise<number> {
    return this.webhooks.purge(this.database.client, new Date(this.clock.now().getTime() - KEPT_MS));
  }

  protected async step(): Promise<boolean> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const claimed = await this.database.transaction((tx) => this.webhooks.claim(tx, now, until));
    await Promise.all(claimed.map((delivery) => this.attempt(delivery)));
    return claimed.length > 0;
  }
}
