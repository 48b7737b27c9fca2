import { Body, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentAdmin } from '../../access/identity/caller.decorator.js';
import type { AdminActor } from '../../journal/actor.js';
import { Clock } from '../../platform/base/clock.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import {
  NewWebhook,
  PROPOSAL_EVENTS,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  type Webhook,
  type WebhookDelivery,
} from '../../webhooks/webhooks.schema.js';
import { Webhooks } from '../../webhooks/webhooks.service.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';
import { counted, moment } from '../frame/in-words.js';
import { sendPage } from '../frame/pages.view.js';
import { sendSigningSecret } from './signing-secret.view.js';

const LAST_ANSWERS = 3;
/** One checkbox for each event, with the event's name. */
const WebhookForm = z
  .object({ url: NewWebhook.shape.url, format: NewWebhook.shape.format })
  .catchall(z.string().max(10))
  .transform(({ url, format, ...ticked }) => ({
    url,
    format,
    events: WEBHOOK_EVENTS.filter((event) => event in ticked),
  }))
  .refine(({ events }) => events.length > 0, { error: 'choose at least one', path: ['events'] });
type WebhookForm = z.infer<typeof WebhookForm>;

/** The webhooks that receive events. For administrators. */
@ConsoleController('settings/webhooks')
export class WebhooksPageController {
  constructor(
    private readonly clock: Clock,
    private readonly webhooks: Webhooks,
  ) {}

  @Get()
  @RequireScope('administer', 'person')
  show(@Res() reply: FastifyReply): Promise<void> {
    return this.page(reply, null);
  }

  @PostForm()
  @RequireScope('administer', 'person')
  async add(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: WebhookForm }) form: WebhookForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { url, secret } = await this.webhooks.add(actor, form);
    await sendSigningSecret(reply, { url, secret, heading: 'Webhook added', back: '/settings/webhooks' });
  }

  @PostForm(':id/test')
  @RequireScope('administer', 'person')
  async test(@CurrentAdmin() actor: AdminActor, @PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    await this.page(reply, await this.webhooks.test(actor, id));
  }

  @PostForm(':id/remove')
  @RequireScope('administer', 'person')
  async remove(@CurrentAdmin() actor: AdminActor, @PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    await this.webhooks.remove(actor, id);
    await reply.redirect('/settings/webhooks', 303);
  }

  private async page(reply: FastifyReply, tested: WebhookDelivery | null): Promise<void> {
    const { items } = await this.webhooks.list();
    const now = this.clock.now();
    const rows = [];
    for (const webhook of items)
      rows.push(webhookRow(webhook, (await this.webhooks.deliveries(webhook.id, LAST_ANSWERS)).items, now));
    const view = {
      part: 'webhooks',
      rows,
      tested: tested === null ? null : testResult(tested),
      events: WEBHOOK_EVENTS.map((event) => ({
        event,
        says: eventText(event),
        isTicked: PROPOSAL_EVENTS.some((one) => one === event),
      })),
      formats: WEBHOOK_FORMATS,
    };
    await sendPage(reply, {
      template: 'settings-webhooks',
      title: 'Settings',
      section: 'settings',
      view,
    });
  }
}

/** A webhook as a row of the settings, with its last deliveries, newest first. */
function webhookRow(webhook: Webhook, deliveries: readonly WebhookDelivery[], now: Date) {
  const { id, url, events, format, pending, disabledAt } = webhook;
  return {
    id,
    url,
    format: format === 'standard' ? null : format,
    pending,
    events: events.map((event) => eventText(event)).join(', '),
    gone:
      disabledAt === null
        ? null
        : `The address answered "gone" ${moment(disabledAt, now).says}; deliveries are stopped.`,
    last: deliveries.map((delivery) => ({
      when: moment(delivery.endedAt ?? delivery.createdAt, now),
      says: deliveryText(delivery),
      isBad: delivery.state === 'failed' || (delivery.state === 'pending' && delivery.attempts > 0),
    })),
  };
}

const eventText = (event: string): string => event.replace(/[._]/g, ' ');

/** A delivery in one line: the event, the result and the answer. */
function deliveryText({ event, state, attempts, lastStatus, lastAnswer }: WebhookDelivery): string {
  const tries = counted(attempts, 'attempt');
  const answer = lastStatus === null ? (lastAnswer ?? '') : String(lastStatus);
  const after = { delivered: 'delivered', failed: `failed after ${tries}`, pending: `pending, ${tries} so far` }[state];
  return `${event}: ${after} (${answer || 'no answer yet'})`;
}

/** The result of a test delivery. */
const testResult = (delivery: WebhookDelivery) => ({
  isGood: delivery.state === 'delivered',
  says: deliveryText(delivery),
});
