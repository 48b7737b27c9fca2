import { createHmac } from 'node:crypto';
import type { Ids } from '../platform/base/ids.js';

const PREFIX = 'whsec_';

const SECRET_BYTES = 32;

/** A new secret, which its receiver sees once. */
export const newSecret = (ids: Ids): string => webhookSecret(Buffer.from(ids.nonce(SECRET_BYTES), 'hex'));

/** Encodes a secret as Standard Webhooks does. */
export const webhookSecret = (bytes: Buffer): string => `${PREFIX}${bytes.toString('base64')}`;

/** The headers of Standard Webhooks. The id is the same for every attempt; the timestamp is that of this attempt. */
export function webhookHeaders(secret: string, id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signature = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
