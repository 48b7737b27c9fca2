import { z } from 'zod';
import { hasCredential } from '../../untrusted/redaction/credential-in-name.js';

/** A year: a longer pause is one without an end. */
const MOST_HOURS = 8_760;

/** Pauses what the hooks of a person's agents receive; with a project or a session only there. */
export const NewDeliveryPause = z
  .strictObject({
    /** The folder of the project, or its repository as `owner/name`. */
    project: z
      .string()
      .trim()
      .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,120}$/u, { error: 'must be 1 to 120 visible characters' })
      // Stored and shown as it is, so that it equals the name in the events.
      .refine((value) => !hasCredential(value), { error: 'looks like a credential' })
      .optional(),
    /** As the agent product names its session. It need not be known yet. */
    sessionId: z
      .string()
      .trim()
      .min(1, { error: 'must not be empty' })
      .max(200, { error: 'must have at most 200 characters' })
      .optional(),
    /** The pause ends by itself after this many hours. */
    hours: z
      .number()
      .min(0.01, { error: 'must be at least 0.01 hours' })
      .max(MOST_HOURS, { error: `must be at most ${MOST_HOURS} hours` })
      .optional(),
    /** The owner of the agents. Only administrators name another person than themselves. */
    personId: z.uuid({ error: 'must be a UUID' }).optional(),
  })
  .meta({ id: 'NewDeliveryPause' });
export type NewDeliveryPause = z.infer<typeof NewDeliveryPause>;

export const DeliveryPause = z
  .object({
    id: z.uuid(),
    person: z.object({ id: z.uuid(), name: z.string() }),
    /** Null: every project. */
    project: z.string().nullable(),
    /** The reference of the session; null: every session. */
    session: z.string().nullable(),
    since: z.string(),
    /** Null: until it is resumed. */
    until: z.string().nullable(),
  })
  .meta({ id: 'DeliveryPause' });
export type DeliveryPause = z.infer<typeof DeliveryPause>;

export const DeliveryPauseList = z.object({ items: z.array(DeliveryPause) }).meta({ id: 'DeliveryPauseList' });
export type DeliveryPauseList = z.infer<typeof DeliveryPauseList>;
