import { readdirSync, readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { highlightPieces } from './highlights.js';
import { counted, grouped, plural } from './quantity.js';

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

const handlebars = Handlebars.create();
handlebars.registerHelper('revealed', revealed);
handlebars.registerHelper('grouped', grouped);
handlebars.registerHelper('plural', plural);
// Handlebars adds its options to the arguments.
handlebars.registerHelper('counted', (n: number, one: string) => counted(n, one));
handlebars.registerHelper('eq', (a: unknown, b: unknown) => a === b);
handlebars.registerHelper('join', (list: readonly string[]) => list.join(', '));

const OPTIONS = {
  strict: true,
  knownHelpersOnly: true,
  knownHelpers: { revealed: true, grouped: true, plural: true, counted: true, eq: true, join: true },
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
export function html(template: string, view: object): Handlebars.SafeString {
  const render = templates.get(template);
  if (!render) throw new Error(`there is no template ${template}`);
  return new SafeString(render(view));
}
