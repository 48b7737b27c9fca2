import type { Webhook, WebhookDelivery } from '../../webhooks/webhooks.schema.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';

/** A webhook as a row of the settings, with its last deliveries, newest first. */
export function webhookRow(webhook: Webhook, deliveries: readonly WebhookDelivery[], now: Date) {
  const { id, url, events, pending, disabledAt } = webhook;
  return {
    id,
    url,
    pending,
    events: events.map((event) => say(`webhooks.${event}`)).join(', '),
    gone: disabledAt === null ? null : say('webhooks.gone', { when: moment(disabledAt, now).says }),
    last: deliveries.map((delivery) => ({
      when: moment(delivery.endedAt ?? delivery.createdAt, now),
      says: deliveryText(delivery),
      isBad: delivery.state === 'failed' || (delivery.state === 'pending' && delivery.attempts > 0),
    })),
  };
}

/** A delivery in one line: the event, the result and the answer. */
export function deliveryText({ event, state, attempts, lastStatus, lastAnswer }: WebhookDelivery): string {
  const answer = lastStatus === null ? (lastAnswer ?? '') : String(lastStatus);
  return say(`webhooks.${state}`, { event, n: attempts, answer: answer || say('webhooks.no-answer') });
}

/** The result of a test delivery. */
export const testResult = (delivery: WebhookDelivery) => ({
  isGood: delivery.state === 'delivered',
  says: deliveryText(delivery),
});
