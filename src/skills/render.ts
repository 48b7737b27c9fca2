import { clip } from '../untrusted/clip.js';
import { emitFrontmatter, FRONTMATTER_LIMITS } from './frontmatter.js';
import { neutralise } from './neutralise.js';
import { skillBody } from './skill.view.js';
import type { SkillRecord } from './skill-record.schema.js';

/**
 * The exact text of a SKILL.md: LF, no BOM, first line `---`, the same bytes for the same record (spec E4). The
 * model never writes the file, so whatever a record says can only ever be read, not run. The record has passed its
 * schema; whether it is too long for a skill is for `lintSkill` to say.
 */
export function renderSkill(record: SkillRecord): string {
  const frontmatter = emitFrontmatter({
    name: record.name,
    description: fitting(record.description, FRONTMATTER_LIMITS.description),
    metadata: metadataOf(record),
  });
  const body = skillBody({
    ...record,
    steps: record.steps.map((instruction, index) => ({ number: index + 1, instruction })),
  });
  return `${frontmatter}\n${body}`;
}

function metadataOf(record: SkillRecord): Map<string, string> {
  const { evidence } = record;
  const metadata = new Map([
    ['guildbook/version', String(record.version)],
    ['guildbook/approval', record.approvalId],
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

/** Neutralised text of at most `limit` UTF-16 units. Entities make text longer, so the cut is made before them. */
function fitting(text: string, limit: number): string {
  let units = limit;
  let out = neutralise(text);
  while (out.length > limit) {
    units -= Math.max(1, Math.ceil((out.length - limit) / 6));
    out = neutralise(clip(text, units));
  }
  return out;
}
