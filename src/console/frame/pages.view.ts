import type { FastifyReply } from 'fastify';
import type { Caller } from '../../access/identity/caller.js';
import { say } from '../texts/texts.js';
import { assetPath } from './assets.view.js';
import { html } from './html.view.js';

/** Nothing from elsewhere, nothing inline, and no page of anybody else around ours. */
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

/** Pages around a secret in the address: no script at all. */
const BARE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** What the script accepts when it asks for a part of a page. */
export const PART_MEDIA_TYPE = 'text/html-part';

export interface Page {
  readonly template: string;
  readonly title: string;
  readonly view: object;
  /** The entry of the navigation that it belongs to. */
  readonly section?: string;
  readonly status?: number;
  /** Says what was just done; `undo` where it can be taken back. */
  readonly flash?: {
    readonly says: string;
    readonly undo: { readonly action: string; readonly reason: string } | null;
  };
  /** Fills the window, and scrolls inside. */
  readonly isWide?: boolean;
  /** Seconds until it asks for itself again: something is on its way. Or `0; url=` and the page to go on to. */
  readonly refresh?: number | string;
  /** Without a script. */
  readonly isBare?: boolean;
}

const NAVIGATION = [
  { at: 'today', path: '/', text: 'frame.today' },
  { at: 'skills', path: '/skills', text: 'frame.skills' },
  { at: 'fleet', path: '/fleet', text: 'frame.fleet' },
  { at: 'recall', path: '/recall', text: 'frame.recall' },
  { at: 'cycles', path: '/cycles', text: 'frame.cycles' },
  { at: 'journal', path: '/journal', text: 'frame.journal' },
] as const;
const ADMIN_NAVIGATION = [{ at: 'settings', path: '/settings', text: 'frame.settings' }] as const;

const navigationOf = ({ isAdmin, scopes }: Caller) =>
  isAdmin && scopes.includes('administer') ? [...NAVIGATION, ...ADMIN_NAVIGATION] : NAVIGATION;

/** Sends a page. `strict-origin`: without a referrer, a browser would call the origin of a form's request "null". */
export async function sendPage(reply: FastifyReply, caller: Caller | undefined, page: Page): Promise<void> {
  const body = html('layout', {
    title: page.title,
    assets: { css: assetPath('console.css'), js: assetPath('console.js'), icon: assetPath('guildbook.svg') },
    person: caller ? { name: caller.name } : null,
    navigation: caller
      ? navigationOf(caller).map((it) => ({ ...it, text: say(it.text), current: it.at === page.section }))
      : [],
    done: page.flash ?? null,
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

/** A part of a page, for the script that asked for it. */
export async function sendPart(reply: FastifyReply, template: string, view: object): Promise<void> {
  await reply
    .headers({ 'content-security-policy': CONSOLE_POLICY })
    .type('text/html; charset=utf-8')
    .send(html(template, view).toString());
}
