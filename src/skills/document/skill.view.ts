import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { neutralise, neutraliseCode } from './neutralise.js';
import { fenced, renderText } from './text-blocks.js';

/** Parts that move into reference files if the skill gets too long. */
export type ReferencePart = 'gotchas' | 'why' | 'steps';

/** Input of the template. Text of a proposal reaches the output only through the helpers. */
export interface SkillView {
  title: string;
  condition: string;
  /** One sentence on where it was seen; empty if it holds everywhere. */
  binding: string;
  /** One line on what the evidence shares; empty if nothing is known. */
  environment: string;
  cause: string;
  /** The rationale, or the line that replaces it; empty if there is none. */
  why: string;
  action: string;
  steps: readonly { number: number; instruction: string }[];
  /** The lines of the code block; undefined if there is no example. */
  example: readonly string[] | undefined;
  gotchas: readonly string[];
  /** The line that replaces a moved part; empty if the part is not moved. */
  moved: Readonly<Record<ReferencePart, string>>;
  /** One sentence if a call is refused with this skill; empty otherwise. */
  gate: string;
  provenance: string;
}

const handlebars = Handlebars.create();
handlebars.registerHelper('text', (value: unknown) => neutralise(String(value)));
handlebars.registerHelper('block', (value: unknown) => renderText(String(value)));
handlebars.registerHelper('item', (mark: unknown, value: unknown) => renderItem(String(mark), String(value)));
handlebars.registerHelper('code', (lines: readonly string[]) => fenced('sh', lines.map(neutraliseCode)).join('\n'));

/** The text of a list item behind its mark, `1. ` or `- `: further lines are indented by the width of the mark. */
export const renderItem = (mark: string, text: string): string =>
  renderText(text, ' '.repeat(mark === '-' ? 2 : mark.length + 2));

/**
 * Renders the body of a SKILL.md. Only this repository's template is compiled. HTML escaping is off because the output
 * is Markdown.
 */
export const skillBody = handlebars.compile<SkillView>(
  readFileSync(new URL('./templates/skill.hbs', import.meta.url), 'utf8'),
  {
    noEscape: true,
    strict: true,
    knownHelpersOnly: true,
    knownHelpers: { text: true, block: true, item: true, code: true },
  },
);
