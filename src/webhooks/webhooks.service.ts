import { Inject, Injectable } from '@nestjs/common';
import type { AdminActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { Clock } from '../platform/base/clock.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { MINUTE_MS } from '../platform/base/durations.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { TEST_MESSAGE } from './chat-message.js';
import { WebhookRepository, type WebhookTarget } from './webhook.repository.js';
import { hostOf, requireAddress } from './webhook-address.js';
import { WebhookDeliveryWorker } from './webhook-delivery-worker.service.js';
import { newSecret } from './webhook-signature.js';
import type { AddedWebhook, NewWebhook, WebhookDelivery, WebhookDeliveryList, WebhookList } from './webhooks.schema.js';

const MAX_WEBHOOKS = 20;

/** Administrators configure here which addresses receive events. */
@Injectable()
export class Webhooks {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly webhooks: WebhookRepository,
    private readonly deliveryWorker: WebhookDeliveryWorker,
  ) {}

  /**
   * Adds a webhook. Only this response contains its secret. Throws `invalid` for an address that nothing may be sent
   * to.
   */
  async add(
    actor: AdminActor,
    { url, events, format = 'standard' }: Pick<NewWebhook, 'url' | 'events'> & Partial<NewWebhook>,
  ): Promise<AddedWebhook> {
    requireAddress(url, this.config.webhooksAllowPrivate, 'webhook.invalid_address');
    const endpointId = this.ids.uuid();
    const secret = newSecret(this.ids);
    return this.database.transaction(async (tx) => {
      if ((await this.webhooks.count(tx)) >= MAX_WEBHOOKS)
        throw new DomainError(
          'conflict',
          'webhook.too_many',
          `There are ${MAX_WEBHOOKS} webhooks, the maximum; remove one first.`,
        );
      const createdAt = this.clock.now();
      await this.webhooks.create(tx, { endpointId, url, secret, events, format, createdBy: actor.id, createdAt });
      // The path of an address is often a secret of the receiver, so the journal records only the host.
      await this.record(tx, actor, 'webhook.added', { endpointId, url }, { events, format });
      return {
        id: endpointId,
        url,
        events,
        format,
        createdBy: actor.id,
        createdAt: createdAt.toISOString(),
        disabledAt: null,
        pending: 0,
        secret,
      };
    });
  }

  async list(): Promise<WebhookList> {
    return { items: await this.webhooks.list(this.database.client) };
  }

  /** Deletes a webhook, its secret and its deliveries. */
  async remove(actor: AdminActor, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const target = await this.webhooks.target(tx, id);
      if (!target || !(await this.webhooks.remove(tx, id))) throw webhookNotFound(id);
      await this.record(tx, actor, 'webhook.removed', target);
    });
  }

  /** Sends one message now and returns the result. It is not repeated. */
  async test(actor: AdminActor, id: string): Promise<WebhookDelivery> {
    const now = this.clock.now();
    const body = JSON.stringify({ type: TEST_MESSAGE, timestamp: now.toISOString(), data: {} });
    const deliveryId = this.ids.uuid();
    const target = await this.database.transaction(async (tx) => {
      const found = await this.webhooks.target(tx, id);
      if (!found) throw webhookNotFound(id);
      // Stored as claimed, so that the worker leaves it alone.
      const row = { id: deliveryId, endpointId: id, event: TEST_MESSAGE, body, createdAt: now, attempts: 1 };
      await this.webhooks.add(tx, [{ ...row, nextAttemptAt: new Date(now.getTime() + MINUTE_MS) }]);
      await this.record(tx, actor, 'webhook.tested', found);
      return found;
    });
    await this.deliveryWorker.attempt({ ...target, id: deliveryId, body, attempts: 1, traceparent: null }, true);
    const delivery = await this.webhooks.delivery(this.database.client, deliveryId);
    if (!delivery) throw webhookNotFound(id);
    return delivery;
  }

  async deliveries(id: string, limit: number): Promise<WebhookDeliveryList> {
    if (!(await this.webhooks.target(this.database.client, id))) throw webhookNotFound(id);
    return { items: await this.webhooks.deliveries(this.database.client, id, limit) };
  }

  private async record(
    tx: Parameters<Journal['append']>[0],
    actor: AdminActor,
    action: string,
    { endpointId, url }: Pick<WebhookTarget, 'endpointId' | 'url'>,
    data: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const subject = { type: 'webhook', id: endpointId };
    await this.journal.append(tx, actor, { action, subject, data: { host: hostOf(new URL(url)), ...data } });
  }
}

const webhookNotFound = (id: string): DomainError =>
  new DomainError('not_found', 'webhook.not_found', `There is no webhook ${id}.`);
