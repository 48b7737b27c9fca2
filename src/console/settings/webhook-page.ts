import type { Webhook, WebhookDelivery } from '../../webhooks/webhooks.schema.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';

/** An address as a row of the settings, with what it answered last, newest first. */
export function webhookRow(webhook: Webhook, deliveries: readonly WebhookDelivery[], now: Date) {
  const { id, url, events, pending: waiting, disabledAt } = webhook;
  return {
    ...{ id, url, waiting },
    events: events.map((event) => say(`webhooks.${event}`)).join(', '),
    gone: disabledAt === null ? null : say('webhooks.gone', { when: moment(disabledAt, now).says }),
    last: deliveries.map((delivery) => ({
      when: moment(delivery.endedAt ?? delivery.createdAt, now),
      says: deliveryText(delivery),
      isBad: delivery.state === 'failed' || (delivery.state === 'pending' && delivery.attempts > 0),
    })),
  };
}

/** What came of a message: the event, how it ended, and what was answered. */
export function deliveryText({ event, state, attempts, lastStatus, lastAnswer }: WebhookDelivery): string {
  const answer = lastStatus === null ? (lastAnswer ?? '') : String(lastStatus);
  return say(`webhooks.${state}`, { event, n: attempts, answer: answer || say('webhooks.no-answer') });
}

/** What came of the message that somebody asked for just now. */
export const testResult = (delivery: WebhookDelivery) => ({
  isGood: delivery.state === 'delivered',
  says: deliveryText(delivery),
});
