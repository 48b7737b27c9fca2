import { visibleCode, visibleLine } from './frontmatter.js';
import { escapeAngles, type LinePart, splitAtCode } from './markdown-code.js';

/**
 * The entities that `neutralise` writes. Any other one could hide a character from the reviewer, for example U+202E.
 */
export const WRITTEN_ENTITIES = ['&amp;', '&lt;', '&gt;', '&#33;', '&#36;', '&#40;', '&#64;'] as const;

const FOREIGN_ENTITY = /&(?!(?:amp|lt|gt|#33|#36|#40|#64);)(?=#?[0-9A-Za-z]{1,40};)/g;

/**
 * Source of an at sign that readers may take for a reference to a file, also in code and fences. The one in front of the
 * version of a name is none: `tool@1.2`.
 */
export const FILE_REFERENCE = String.raw`(?<!\w(?=@v?\d[\w.+-]{0,40}(?![\w.+/\\-])))@`;

// Characters that readers of SKILL.md act on. Each becomes an entity: readers no longer recognise it (measured for
// `&#33;`), people and models still do, and neutralising again does not change it.
const ACTIVE: readonly (readonly [RegExp, string])[] = [
  [FOREIGN_ENTITY, '&amp;'],
  [/!(?=`)|(?<=(?:~~~|`{3})[ \t]{0,8})!/g, '&#33;'],
  [/\$(?=\{?(?:ARGUMENTS|CLAUDE_))/gi, '&#36;'],
  [new RegExp(`${FILE_REFERENCE}(?! )`, 'g'), '&#64;'],
  // A link or an image hides its address behind its label.
  [/(?<=\])\(/g, '&#40;'],
];

// Block markers at the start of a line: heading, bullet, rule or underline, tilde fence.
const BLOCK_MARKER = /^(?=#{1,6}(?: |$)|[-+*](?: |$)|(?:[-_*=] ?){3,}$|=+$|-+$|~~~)/;
const ORDERED_MARKER = /^(\d{1,9})(?=[.)](?: |$))/;

/**
 * Returns untrusted text as one line of Markdown that is fully visible and inert: no shell command, substitution, file
 * reference, tag, link or block structure. Inline code in single backticks is kept, with its placeholders and
 * redirections. Idempotent.
 */
export function neutralise(text: string): string {
  return inertLine(text, (part) => (part.isCode ? escapeAngles(part.text) : withoutAngles(part.text)));
}

/** `neutralise` for text that is no Markdown, such as the description: no angle bracket stays. */
export function neutralisePlain(text: string): string {
  return inertLine(text, ({ text: part }) => withoutAngles(part));
}

function inertLine(text: string, angles: (part: LinePart) => string): string {
  // A run of backticks could open a fence, and a fence marked with an exclamation mark is executed.
  const line = inert(visibleLine(text).replace(/`{2,}/g, '`'));
  const out = splitAtCode(line).map(angles).join('');
  // A line such as "[label]: address" is a link definition, which no renderer shows.
  if (out.startsWith('[') && out.includes(']:')) return `\\${out}`;
  return out.replace(BLOCK_MARKER, '\\').replace(ORDERED_MARKER, '$1\\');
}

/** Returns a line of a code block, visible and inert, with its indentation. Idempotent. */
export const neutraliseCode = (line: string): string => escapeAngles(inert(visibleCode(line)));

const inert = (line: string): string =>
  ACTIVE.reduce((current, [pattern, entity]) => current.replace(pattern, entity), line);

const withoutAngles = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const ENTITIES = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', '#33': '!', '#36': '$', '#40': '(', '#64': '@' }),
);

/** Reverts `neutralise` if the result neutralises to the same text; returns the input otherwise. */
export function revertNeutralised(text: string): string {
  const plain = unescaped(text);
  return neutralise(plain) === neutralise(text) ? plain : text;
}

/** Reverts `neutralisePlain` in the same way. */
export function revertNeutralisedPlain(text: string): string {
  const plain = unescaped(text);
  return neutralisePlain(plain) === neutralisePlain(text) ? plain : text;
}

const unescaped = (text: string): string =>
  decoded(text)
    .replace(/^\\(?=\[|#|[-+*_=~])/, '')
    .replace(/^(\d{1,9})\\(?=[.)](?: |$))/, '$1');

/** Reverts `neutraliseCode` in the same way. */
export function revertNeutralisedCode(line: string): string {
  const plain = decoded(line);
  return neutraliseCode(plain) === neutraliseCode(line) ? plain : line;
}

const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|#33|#36|#40|#64);/g, (whole, name: string) => ENTITIES.get(name) ?? whole);
