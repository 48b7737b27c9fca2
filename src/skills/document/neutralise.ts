import { visibleLine } from './frontmatter.js';

/** The entities that `neutralise` writes; any other one could show a reviewer what the bytes do not (U+202E as text). */
export const WRITTEN_ENTITIES = ['&amp;', '&lt;', '&gt;', '&#33;', '&#36;', '&#40;', '&#64;'] as const;

const FOREIGN_ENTITY = /&(?!(?:amp|lt|gt|#33|#36|#40|#64);)(?=#?[0-9A-Za-z]{1,40};)/g;

// What a SKILL.md reader acts on (formats A6). Each becomes an entity: it is no longer what the reader looks for (for
// `&#33;` that was measured), a person and a model still read it, and it survives being neutralised again.
const ACTIVE: readonly (readonly [RegExp, string])[] = [
  [FOREIGN_ENTITY, '&amp;'],
  [/</g, '&lt;'],
  [/>/g, '&gt;'],
  [/!(?=`)|(?<=~~~ ?)!/g, '&#33;'],
  [/\$(?=\{?(?:ARGUMENTS|CLAUDE_))/gi, '&#36;'],
  [/@(?! )/g, '&#64;'],
  // A link or an image hides its address behind its label.
  [/(?<=\])\(/g, '&#40;'],
];

// Block markers at the start of a line: heading, bullet, rule or underline, tilde fence.
const BLOCK_MARKER = /^(?=#{1,6}(?: |$)|[-+*](?: |$)|(?:[-_*=] ?){3,}$|=+$|-+$|~~~)/;
const ORDERED_MARKER = /^(\d{1,9})(?=[.)](?: |$))/;

/**
 * Untrusted text as one line of Markdown that shows all it says and does nothing: no shell, no substitution, no file
 * reference, no tag, no link, no block structure. Inline code in single backticks stays. A fixpoint.
 */
export function neutralise(text: string): string {
  // A run of backticks could open a fence, and a fence marked with an exclamation mark is executed.
  let out = visibleLine(text).replace(/`{2,}/g, '`');
  for (const [pattern, entity] of ACTIVE) out = out.replace(pattern, entity);
  // A line such as "[label]: address" is a link definition, which no renderer shows.
  if (out.startsWith('[') && out.includes(']:')) return `\\${out}`;
  return out.replace(BLOCK_MARKER, '\\').replace(ORDERED_MARKER, '$1\\');
}

const ENTITIES = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', '#33': '!', '#36': '$', '#40': '(', '#64': '@' }),
);

/** The text that `neutralise` made this from, as far as it can be told: it is neutralised to the same again. */
export function revertNeutralised(text: string): string {
  const plain = text
    .replace(/&(amp|lt|gt|#33|#36|#40|#64);/g, (whole, name: string) => ENTITIES.get(name) ?? whole)
    .replace(/^\\(?=\[|#|[-+*_=~])/, '')
    .replace(/^(\d{1,9})\\(?=[.)](?: |$))/, '$1');
  return neutralise(plain) === neutralise(text) ? plain : text;
}
