import type { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import { bindingInWords, factsBeside, predicateHash } from '../../evidence/predicate/binding.js';
import { clip } from '../../untrusted/text/clip.js';
import { bundleOf } from './bundle.js';
import { exampleLines } from './example-block.js';
import { emitFrontmatter, FRONTMATTER_LIMITS } from './frontmatter.js';
import { neutralisePlain } from './neutralise.js';
import { type ReferencePart, renderItem, skillBody } from './skill.view.js';
import { SKILL_BUDGET } from './skill-budget.js';
import type { SkillRecord } from './skill-record.schema.js';
import { renderText } from './text-blocks.js';

/** The line that replaces a moved part; it says when to open the file. */
export const REFERENCE_LINES: Readonly<Record<ReferencePart, string>> = {
  gotchas: 'Before the first step, read references/gotchas.md: what went wrong for others.',
  why: 'When you doubt that this applies, read references/why.md.',
  steps: 'After these steps, go on with those in references/steps.md.',
};

const NOTHING_MOVED: Readonly<Record<ReferencePart, string>> = { gotchas: '', why: '', steps: '' };

const isShort = (skill: string): boolean =>
  skill.length / 4 < SKILL_BUDGET.tokens - 1 && skill.split('\n').length < SKILL_BUDGET.lines;

/**
 * Renders a skill: LF, no BOM, first line `---`, and the same bytes for the same record. A SKILL.md that would be too
 * long is split into reference files (`filesOf`). The model never writes a file, so text in a record can only be read,
 * not executed. The record has passed its schema; `lintSkill` reports if it is still too long.
 */
export function renderSkill(record: SkillRecord): string {
  const hash = predicateHash(record.predicate, record.binding);
  const frontmatter = emitFrontmatter({
    name: record.name,
    description: neutraliseWithin(record.description, FRONTMATTER_LIMITS.description),
    metadata: new Map([
      ['guildbook/version', String(record.version)],
      ['guildbook/approval', record.proposalId],
      ...(hash === undefined ? [] : [['guildbook/predicate', `sha256:${hash}`] as const]),
      ...(record.gate ? [['guildbook/gate', 'refuse-once'] as const] : []),
    ]),
  });
  const steps = record.steps.map((instruction, index) => ({ number: index + 1, instruction }));
  const { title, condition, gotchas, rationale = '', cause = '' } = record;
  // A single step that says all of it is not said twice.
  const action = record.steps.length === 1 && record.steps[0] === record.action ? '' : record.action;
  const render = (moved: readonly ReferencePart[], kept: number): string =>
    `${frontmatter}\n${skillBody({
      title,
      condition,
      action,
      gotchas,
      cause,
      binding: bindingInWords(record.binding),
      environment: environmentLine(factsBeside(record.environment ?? [], record.binding)),
      why: moved.includes('why') ? REFERENCE_LINES.why : rationale,
      steps: steps.slice(0, kept),
      example: record.example && exampleLines(record.example),
      moved: { ...NOTHING_MOVED, ...Object.fromEntries(moved.map((part) => [part, REFERENCE_LINES[part]])) },
      gate: record.gate ? GATE_LINE : '',
      provenance: provenanceLine(record),
    })}`;
  const references = new Map<string, string>();
  const all = record.steps.length;
  let skill = render([], all);
  const moved: ReferencePart[] = [];
  for (const part of ['gotchas', 'why'] as const) {
    if (isShort(skill) || (part === 'gotchas' ? gotchas.length === 0 : rationale === '')) continue;
    moved.push(part);
    const lines = part === 'why' ? [renderText(rationale)] : gotchas.map((it) => `- ${renderItem('-', it)}`);
    references.set(`references/${part}.md`, `# ${part === 'why' ? 'Why' : 'Gotchas'}\n\n${lines.join('\n')}\n`);
    skill = render(moved, all);
  }
  for (let kept = all - 1; kept > 0 && !isShort(skill); kept--) {
    const rest = steps
      .slice(kept)
      .map(({ number, instruction }) => `${number}. ${renderItem(String(number), instruction)}`);
    references.set('references/steps.md', `# Steps\n\n${rest.join('\n')}\n`);
    skill = render([...moved, 'steps'], kept);
  }
  return bundleOf(skill, references);
}

/** What the lines about the environment and the provenance begin with. */
export const SEEN_WITH = 'Seen with: ';
export const APPROVED_BY = 'Approved by a person.';
/** What the line about a gate begins with, and the line. */
export const MARKED_AS_GATE = 'Reviewers marked this skill as a gate: ';
const GATE_LINE = `${MARKED_AS_GATE}where hooks ask before a call, Guildbook refuses a call of this kind once in a session, with this lesson, and then lets it pass.`;

/** What the evidence shares, in one line; empty if it shares nothing. */
const environmentLine = (facts: readonly EnvironmentFact[]): string =>
  facts.length === 0 ? '' : `${SEEN_WITH}${facts.map(({ name, value }) => `${name} ${value}`).join(', ')}.`;

function provenanceLine({ reviewed }: SkillRecord): string {
  const texts = reviewed
    ? [
        ...numbered('Step', reviewed.steps),
        ...reviewed.fields.map((it) => `the ${it}`),
        ...numbered('gotcha', reviewed.gotchas),
      ]
    : [];
  if (texts.length === 0) return APPROVED_BY;
  const isOne = texts.length === 1 && (reviewed?.steps.length ?? 0) < 2 && (reviewed?.gotchas.length ?? 0) < 2;
  const says = listed(texts);
  return `${APPROVED_BY} ${says.charAt(0).toUpperCase()}${says.slice(1)} ${isOne ? 'was' : 'were'} written by a reviewer.`;
}

const numbered = (noun: string, numbers: readonly number[]): string[] =>
  numbers.length === 0 ? [] : [`${noun}${numbers.length === 1 ? '' : 's'} ${listed(numbers.map(String))}`];

const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;

/** Neutralises text to at most `limit` UTF-16 units. Entities make text longer, so the input is clipped first. */
export function neutraliseWithin(text: string, limit: number): string {
  let units = limit;
  let out = neutralisePlain(text);
  while (out.length > limit) {
    units -= Math.max(1, Math.ceil((out.length - limit) / 6));
    out = neutralisePlain(clip(text, units));
  }
  return out;
}
