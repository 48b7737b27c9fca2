import type { McpServer } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../access/identity/caller.js';
import { OrgEntries } from '../memory/store/org-entries.service.js';
import { NEW_ONLY, SessionId } from '../recall/ranking/recall.schema.js';
import { SessionHistories } from '../recall/strategies/session-histories.service.js';
import { Skill, SkillList } from '../skills/catalogue/skills.schema.js';
import { Skills } from '../skills/catalogue/skills.service.js';
import { audienceOf } from '../skills/delivery/audience.js';
import { SkillName } from '../skills/document/skill-name.schema.js';
import { READ_HINTS, toolResult, toolSchema } from './mcp-tool.js';

const OfSession = { sessionId: SessionId.optional(), newOnly: NEW_ONLY };
const List = z.strictObject(OfSession);
const Read = z.strictObject({ name: SkillName, ...OfSession });

/**
 * The tools that list and read skills. A skill that a session read is known to the session until the process ends; it is
 * not a recall, so it is not counted as one.
 */
@Injectable()
export class SkillTools {
  constructor(
    private readonly skills: Skills,
    private readonly entries: OrgEntries,
    private readonly sessions: SessionHistories,
  ) {}

  register(server: McpServer, caller: Caller): void {
    server.registerTool(
      'list_skills',
      {
        description: 'Lists the approved skills that this agent receives.',
        inputSchema: toolSchema(List),
        annotations: READ_HINTS,
      },
      (input) =>
        toolResult(
          () => this.list(caller, input),
          ({ items }) => items.map(({ name, discovery }) => `${name}: ${discovery}`).join('\n') || 'No skills yet.',
        ),
    );
    server.registerTool(
      'get_skill',
      {
        description: 'Returns the SKILL.md exactly as approved.',
        inputSchema: toolSchema(Read),
        annotations: READ_HINTS,
      },
      (input) =>
        toolResult(
          () => this.read(caller, input),
          ({ name, artifact }) => artifact || `This session already received the skill ${name}.`,
        ),
    );
  }

  private async list(caller: Caller, { sessionId, newOnly }: z.output<typeof List>): Promise<SkillList> {
    const { ids } = await this.sessions.deliveredBefore(caller.id, sessionId, newOnly);
    const list = await this.skills.list(audienceOf(caller));
    if (!newOnly || ids.size === 0) return list;
    const received = new Set((await this.entries.live()).filter(({ id }) => ids.has(id)).map(nameOf));
    const items = list.items.filter(({ name }) => !received.has(name));
    return { items, total: items.length };
  }

  private async read(caller: Caller, { name, sessionId, newOnly }: z.output<typeof Read>): Promise<Skill> {
    const { ids } = await this.sessions.deliveredBefore(caller.id, sessionId, newOnly);
    const skill = await this.skills.show(name, audienceOf(caller));
    if (sessionId === undefined) return skill;
    const id = (await this.entries.liveSkill(name))?.id;
    if (id === undefined) return skill;
    if (newOnly && ids.has(id)) return { ...skill, artifact: '' };
    (await this.sessions.historyOf(caller.id, sessionId)).add([id], Buffer.byteLength(skill.artifact));
    return skill;
  }
}

const nameOf = ({ skillName }: { readonly skillName: string | null }): string => skillName ?? '';
