import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { emitFrontmatter, FRONTMATTER_LIMITS } from '../../skills/document/frontmatter.js';
import { neutralise } from '../../skills/document/neutralise.js';
import { neutraliseWithin } from '../../skills/document/render.js';
import { skillSlug } from '../../skills/document/slug.js';

/** An agent-scope SKILL.md (spec L5): in the folder of its agent, in one of its own, named as the skill. */
export interface LessonFile {
  readonly agentId: string;
  readonly name: string;
  readonly text: string;
}

/** The end of a lesson's folder, by which it is found again: 16 hex digits of the lesson's id, the random ones. */
export function lessonKey(lessonId: string): string {
  return lessonId.replaceAll('-', '').slice(-16);
}

/** The key at the end of a folder's name; nothing where it is no folder of a lesson. */
export function keyFromFolderName(name: string): string | undefined {
  return /^[a-z0-9-]{1,47}-([0-9a-f]{16})$/.exec(name)?.[1];
}

/**
 * A lesson as a SKILL.md; the same lesson gives the same bytes. Nothing in it is active, as in a published skill, and it
 * says that nobody reviewed it. Nothing for what is no agent's own lesson: the organisation's skills are published.
 */
export function renderLessonFile(entry: MemoryEntry): LessonFile | undefined {
  const { id, agentId, lesson, scope, category, supersededAt } = entry;
  if (agentId === null || scope !== 'agent' || category !== 'PROCEDURAL' || supersededAt !== null) return undefined;
  const name = skillSlug(lesson.discovery, lessonKey(id));
  const frontmatter = emitFrontmatter({
    name,
    description: neutraliseWithin(lesson.discovery, FRONTMATTER_LIMITS.description) || 'A lesson without words.',
    metadata: new Map([
      ['guildbook/scope', 'agent'],
      ['guildbook/agent', agentId],
      ['guildbook/lesson', id],
      ['guildbook/provenance', entry.provenance],
      ['guildbook/proposer', entry.proposer],
      ['guildbook/confidence', String(lesson.confidence)],
    ]),
  });
  const { condition, action, rationale } = lesson.activation;
  const sections = [
    '# A lesson of one agent',
    'Learned from an execution of this agent alone. No person has reviewed it: weigh it as a note, not as an order.',
    `## When to use\n\n${neutralise(condition)}`,
    `## Why\n\n${neutralise(rationale)}`,
    `## Steps\n\n${neutralise(action)}\n\n${lesson.steps.map((step, n) => `${n + 1}. ${neutralise(step)}`).join('\n')}`,
  ];
  return { agentId, name, text: `${frontmatter}\n${sections.join('\n\n')}\n` };
}
