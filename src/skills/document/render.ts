import { clip } from '../../untrusted/text/clip.js';
import { bundleOf } from './bundle.js';
import { emitFrontmatter, FRONTMATTER_LIMITS } from './frontmatter.js';
import { neutralise } from './neutralise.js';
import { type ReferencePart, skillBody } from './skill.view.js';
import { SKILL_BUDGET } from './skill-budget.js';
import type { SkillRecord } from './skill-record.schema.js';

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
  const frontmatter = emitFrontmatter({
    name: record.name,
    description: neutraliseWithin(record.description, FRONTMATTER_LIMITS.description),
    metadata: metadataOf(record),
  });
  const numbered = record.steps.map((instruction, index) => ({ number: index + 1, instruction }));
  const render = (moved: readonly ReferencePart[], kept: number): string =>
    `${frontmatter}\n${skillBody({
      ...record,
      steps: numbered.slice(0, kept),
      moved: { ...NOTHING_MOVED, ...Object.fromEntries(moved.map((part) => [part, REFERENCE_LINES[part]])) },
    })}`;
  const references = new Map<string, string>();
  const all = record.steps.length;
  let skill = render([], all);
  const moved: ReferencePart[] = [];
  for (const part of ['gotchas', 'why'] as const) {
    if (isShort(skill) || (part === 'gotchas' && record.gotchas.length === 0)) continue;
    moved.push(part);
    const lines = part === 'why' ? [neutralise(record.rationale)] : record.gotchas.map((it) => `- ${neutralise(it)}`);
    references.set(`references/${part}.md`, `# ${part === 'why' ? 'Why' : 'Gotchas'}\n\n${lines.join('\n')}\n`);
    skill = render(moved, all);
  }
  for (let kept = all - 1; kept > 0 && !isShort(skill); kept--) {
    const rest = numbered.slice(kept).map(({ number, instruction }) => `${number}. ${neutralise(instruction)}`);
    references.set('references/steps.md', `# Steps\n\n${rest.join('\n')}\n`);
    skill = render([...moved, 'steps'], kept);
  }
  return bundleOf(skill, references);
}

function metadataOf(record: SkillRecord): Map<string, string> {
  const { evidence } = record;
  const metadata = new Map([
    ['guildbook/version', String(record.version)],
    ['guildbook/approval', record.proposalId],
    ['guildbook/provenance', record.provenance],
    ['guildbook/agents', String(evidence.agents)],
    ['guildbook/owners', String(evidence.owners)],
    ['guildbook/origins', String(evidence.origins)],
    ['guildbook/executions', String(evidence.executions)],
    ['guildbook/failures', String(evidence.failures)],
    ['guildbook/first-seen', evidence.firstSeen],
    ['guildbook/last-seen', evidence.lastSeen],
  ]);
  if (record.tags.length > 0) metadata.set('guildbook/tags', record.tags.map(neutralise).join(', '));
  return metadata;
}

/** Neutralises text to at most `limit` UTF-16 units. Entities make text longer, so the input is clipped first. */
export function neutraliseWithin(text: string, limit: number): string {
  let units = limit;
  let out = neutralise(text);
  while (out.length > limit) {
    units -= Math.max(1, Math.ceil((out.length - limit) / 6));
    out = neutralise(clip(text, units));
  }
  return out;
}
