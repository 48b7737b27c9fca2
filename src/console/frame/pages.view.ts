import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import Handlebars from 'handlebars';
import { canAdminister } from '../../access/identity/caller.js';
import { assetPath } from './assets.view.js';
import { highlightPieces } from './highlights.js';
import { counted, grouped, plural } from './in-words.js';

const { SafeString, escapeExpression } = Handlebars;
const FOLDER = new URL('../templates/', import.meta.url);

const HIDDEN = (text: string): string => `<mark class="hidden">${escapeExpression(text)}</mark>`;
const ALIKE = (text: string, like: string): string =>
  `<mark class="alike" title="${escapeExpression(`Looks like ${like}, but is ${pointsOf(text)}`)}">${escapeExpression(text)}</mark>`;

const pointsOf = (text: string): string =>
  [...text]
    .map((character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
    .join(' ');

/**
 * Foreign text as HTML in which invisible and look-alike characters are visible. Every foreign text of a page uses it.
 */
export function revealed(value: unknown): Handlebars.SafeString {
  const html = highlightPieces(String(value)).map(({ text, highlight: mark, like }) => {
    if (mark === 'none') return escapeExpression(text);
    return mark === 'hidden' ? HIDDEN(text) : ALIKE(text, like);
  });
  return new SafeString(html.join(''));
}

/** The same for a text with code between backticks, such as a title. A backtick without its pair stays one. */
export function coded(value: unknown): Handlebars.SafeString {
  const parts = String(value).split('`');
  if (parts.length % 2 === 0) return revealed(value);
  return new SafeString(
    parts.map((part, at) => (at % 2 === 0 ? `${revealed(part)}` : `<code>${revealed(part)}</code>`)).join(''),
  );
}

const handlebars = Handlebars.create();
handlebars.registerHelper('revealed', revealed);
handlebars.registerHelper('coded', coded);
handlebars.registerHelper('grouped', grouped);
handlebars.registerHelper('plural', plural);
// Handlebars adds its options to the arguments.
handlebars.registerHelper('counted', (n: number, one: string, many: unknown) =>
  counted(n, one, typeof many === 'string' ? many : undefined),
);
handlebars.registerHelper('eq', (a: unknown, b: unknown) => a === b);
handlebars.registerHelper('join', (list: readonly string[]) => list.join(', '));

const OPTIONS = {
  strict: true,
  knownHelpersOnly: true,
  knownHelpers: { revealed: true, coded: true, grouped: true, plural: true, counted: true, eq: true, join: true },
} as const;

/** Compiled once. Only our own files are templates; foreign text is data. Files that begin with `_` are partials. */
const templates = new Map<string, HandlebarsTemplateDelegate>();
for (const file of readdirSync(FOLDER)) {
  const name = file.slice(0, -'.hbs'.length);
  const source = readFileSync(new URL(file, FOLDER), 'utf8');
  if (name.startsWith('_')) handlebars.registerPartial(name.slice(1), handlebars.compile(source, OPTIONS));
  else templates.set(name, handlebars.compile(source, OPTIONS));
}

/** Renders a template. A missing value is an error, not an empty text. */
function html(template: string, view: object): Handlebars.SafeString {
  const render = templates.get(template);
  if (!render) throw new Error(`there is no template ${template}`);
  return new SafeString(render(view));
}

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
