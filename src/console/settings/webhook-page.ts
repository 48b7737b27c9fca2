import type { Webhook, WebhookDelivery } from '../../webhooks/webhooks.schema.js';
import { counted } from '../frame/quantity.js';
import { moment } from '../frame/times.js';

/** A webhook as a row of the settings, with its last deliveries, newest first. */
export function webhookRow(webhook: Webhook, deliveries: readonly WebhookDelivery[], now: Date) {
  const { id, url, events, pending, disabledAt } = webhook;
  return {
    id,
    url,
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

/** What happened to a proposal. */
export const eventText = (event: string): string =>
  event === 'proposal.submitted' ? 'new' : event.slice('proposal.'.length);

/** A delivery in one line: the event, the result and the answer. */
export function deliveryText({ event, state, attempts, lastStatus, lastAnswer }: WebhookDelivery): string {
  const tries = counted(attempts, 'attempt');
  const answer = lastStatus === null ? (lastAnswer ?? '') : String(lastStatus);
  const after = { delivered: 'delivered', failed: `failed after ${tries}`, pending: `pending, ${tries} so far` }[state];
  return `${event}: ${after} (${answer || 'no answer yet'})`;
}

/** The result of a test delivery. */
export const testResult = (delivery: WebhookDelivery) => ({
  isGood: delivery.state === 'delivered',
  says: deliveryText(delivery),
});
