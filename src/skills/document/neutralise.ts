import { visibleLine } from './frontmatter.js';

/**
 * The entities that `neutralise` writes. Any other one could hide a character from the reviewer, for example U+202E.
 */
export const WRITTEN_ENTITIES = ['&amp;', '&lt;', '&gt;', '&#33;', '&#36;', '&#40;', '&#64;'] as const;

const FOREIGN_ENTITY = /&(?!(?:amp|lt|gt|#33|#36|#40|#64);)(?=#?[0-9A-Za-z]{1,40};)/g;

// Characters that readers of SKILL.md act on. Each becomes an entity: readers no longer recognise it (measured for
// `&#33;`), people and models still do, and neutralising again does not change it.
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
 * Returns untrusted text as one line of Markdown that is fully visible and inert: no shell command, substitution, file
 * reference, tag, link or block structure. Inline code in single backticks is kept. Idempotent.
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

/** Reverts `neutralise` if the result neutralises to the same text; returns the input otherwise. */
export function revertNeutralised(text: string): string {
  const plain = text
    .replace(/&(amp|lt|gt|#33|#36|#40|#64);/g, (whole, name: string) => ENTITIES.get(name) ?? whole)
    .replace(/^\\(?=\[|#|[-+*_=~])/, '')
    .replace(/^(\d{1,9})\\(?=[.)](?: |$))/, '$1');
  return neutralise(plain) === neutralise(text) ? plain : text;
}
