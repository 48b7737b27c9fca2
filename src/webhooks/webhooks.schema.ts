import { z } from 'zod';

/** What a new webhook gets by default. Cycles would flood a channel that waits for proposals. */
export const PROPOSAL_EVENTS = [
  'proposal.submitted',
  'proposal.approved',
  'proposal.rejected',
  'proposal.expired',
  'proposal.withdrawn',
] as const;
export const WEBHOOK_EVENTS = [
  ...PROPOSAL_EVENTS,
  'evolver.cycle_started',
  'evolver.cycle_completed',
  'evolver.cycle_failed',
  'evolver.proposal_emitted',
  'evolver.conflict_detected',
  'evolver.disabled',
  'skill.superseded',
] as const;
export const WebhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** `standard` is for programs; the others are what the incoming webhooks of a chat take. */
export const WEBHOOK_FORMATS = ['standard', 'slack', 'teams'] as const;
const WebhookFormat = z.enum(WEBHOOK_FORMATS);
export type WebhookFormat = z.infer<typeof WebhookFormat>;

export const NewWebhook = z
  .strictObject({
    url: z.string().trim().min(1).max(2_000),
    events: z
      .array(WebhookEvent)
      .min(1)
      .max(WEBHOOK_EVENTS.length)
      .default([...PROPOSAL_EVENTS]),
    format: WebhookFormat.default('standard'),
  })
  .meta({ id: 'NewWebhook' });
export type NewWebhook = z.infer<typeof NewWebhook>;

export const Webhook = z
  .object({
    id: z.uuid(),
    url: z.string(),
    events: z.array(z.string()),
    format: WebhookFormat,
    createdBy: z.uuid(),
    createdAt: z.string(),
    /** When the receiver returned 410 (Gone); nothing has been sent since. */
    disabledAt: z.string().nullable(),
    pending: z.int(),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

/** A new webhook with its secret, which is shown only once. */
export const AddedWebhook = Webhook.extend({ secret: z.string() }).meta({ id: 'AddedWebhook' });
export type AddedWebhook = z.infer<typeof AddedWebhook>;

export const WebhookList = z.object({ items: z.array(Webhook) }).meta({ id: 'WebhookList' });
export type WebhookList = z.infer<typeof WebhookList>;

export const WebhookDelivery = z
  .object({
    /** The `webhook-id` that the receiver sees, the same for every attempt. */
    id: z.uuid(),
    event: z.string(),
    state: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.int(),
    createdAt: z.string(),
    nextAttemptAt: z.string().nullable(),
    endedAt: z.string().nullable(),
    /** The HTTP status of the last attempt; null if there was no response. */
    lastStatus: z.int().nullable(),
    /** The beginning of the last response, redacted, or the reason why there is none. */
    lastAnswer: z.string().nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(200).default(50) });
export type WebhookDeliveryQuery = z.infer<typeof WebhookDeliveryQuery>;

export const WebhookDeliveryList = z.object({ items: z.array(WebhookDelivery) }).meta({ id: 'WebhookDeliveryList' });
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;
