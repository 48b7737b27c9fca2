import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { neutralise } from './neutralise.js';

/** What may go into a file of its own when the skill gets too long. */
export type ReferencePart = 'gotchas' | 'why' | 'steps';

/** What the template is given. Strings from a proposal reach it only through its `text` helper. */
export interface SkillView {
  title: string;
  condition: string;
  action: string;
  rationale: string;
  steps: readonly { number: number; instruction: string }[];
  gotchas: readonly string[];
  /** The line that stands in the place of what went into a file of its own; empty for what did not. */
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

/** The body of a SKILL.md. Only our own file is ever compiled; HTML escaping is off because this is Markdown. */
export const skillBody = handlebars.compile<SkillView>(
  readFileSync(new URL('./templates/skill.hbs', import.meta.url), 'utf8'),
  { noEscape: true, strict: true, knownHelpersOnly: true, knownHelpers: { text: true } },
);
