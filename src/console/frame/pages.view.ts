import type { FastifyReply } from 'fastify';
import { canAdminister } from '../../access/identity/caller.js';
import { assetPath } from './assets.view.js';
import { html } from './html.view.js';

/** No external or inline resources, and no framing by another page. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** For pages with a secret in the address: no script. */
const BARE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The media type that the script requests for a part of a page. */
export const PART_MEDIA_TYPE = 'text/html-part';

export interface Page {
  readonly template: string;
  readonly title: string;
  readonly view: object;
  /** The current entry of the navigation. */
  readonly section?: string;
  readonly status?: number;
  /** Confirms the last action; `undo` is the form that reverts it. */
  readonly flash?: {
    readonly kind: string;
    readonly name: string;
    readonly undo: string | null;
  };
  /** The page fills the window and scrolls inside. */
  readonly isWide?: boolean;
  /** Seconds until the page reloads, or `0; url=` with the page to open next. */
  readonly refresh?: number | string;
  /** Sent without a script. */
  readonly isBare?: boolean;
}

/**
 * Sends a page to the caller of its request. `strict-origin`: without a referrer, browsers send the origin "null" with a
 * form.
 */
export async function sendPage(reply: FastifyReply, page: Page): Promise<void> {
  const { caller } = reply.request;
  const body = html('layout', {
    title: page.title,
    assets: { css: assetPath('console.css'), js: assetPath('console.js'), icon: assetPath('guildbook.svg') },
    person: caller ? { name: caller.name } : null,
    section: page.section ?? null,
    isAdmin: caller !== undefined && canAdminister(caller),
    flash: page.flash ?? null,
    isWide: page.isWide === true,
    isBare: page.isBare === true,
    refresh: page.refresh ?? null,
    content: html(page.template, page.view),
  });
  await reply
    .status(page.status ?? 200)
    .headers({
      'content-security-policy': page.isBare ? BARE_POLICY : CONSOLE_POLICY,
      'referrer-policy': 'strict-origin',
    })
    .type('text/html; charset=utf-8')
    .send(body.toString());
}

/** Sends a part of a page to the script. */
export async function sendPart(reply: FastifyReply, template: string, view: object): Promise<void> {
  await reply
    .headers({ 'content-security-policy': CONSOLE_POLICY })
    .type('text/html; charset=utf-8')
    .send(html(template, view).toString());
}
