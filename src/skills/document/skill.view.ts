import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { neutralise } from './neutralise.js';

/** Parts that move into reference files if the skill gets too long. */
export type ReferencePart = 'gotchas' | 'why' | 'steps';

/** Input of the template. Text of a proposal reaches the output only through the `text` helper. */
export interface SkillView {
  title: string;
  condition: string;
  action: string;
  rationale: string;
  steps: readonly { number: number; instruction: string }[];
  gotchas: readonly string[];
  /** The line that replaces a moved part; empty if the part is not moved. */
  moved: Readonly<Record<ReferencePart, string>>;
  version: number;
  proposalId: string;
  evidence: {
    agents: number;
    owners: number;
    origins: number;
    executions: number;
    failures: number;
    firstSeen: string;
    lastSeen: string;
    summary: string;
  };
}

const handlebars = Handlebars.create();
handlebars.registerHelper('text', (value: unknown) => neutralise(String(value)));

/**
 * Renders the body of a SKILL.md. Only this repository's template is compiled. HTML escaping is off because the output
 * is Markdown.
 */
export const skillBody = handlebars.compile<SkillView>(
  readFileSync(new URL('./templates/skill.hbs', import.meta.url), 'utf8'),
  { noEscape: true, strict: true, knownHelpersOnly: true, knownHelpers: { text: true } },
);
