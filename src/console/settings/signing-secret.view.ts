import type { FastifyReply } from 'fastify';
import { sendPage } from '../frame/pages.view.js';

/** A receiver that was added, with the secret that signs what it gets. */
interface AddedReceiver {
  readonly url: string;
  readonly secret: string;
  readonly heading: string;
  /** The page that lists the receivers. */
  readonly back: string;
}

/** Shows the signing secret of a new receiver, which is never shown again. */
export function sendSigningSecret(reply: FastifyReply, added: AddedReceiver): Promise<void> {
  return sendPage(reply, {
    template: 'webhook-added',
    title: added.heading,
    section: 'settings',
    status: 201,
    view: { ...added },
  });
}
