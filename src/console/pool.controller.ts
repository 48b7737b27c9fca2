import { Controller, Get, Param, Query, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentCaller } from '../access/caller.decorator.js';
import type { Caller } from '../access/caller.js';
import { Effects } from '../evolve/effects.service.js';
import { OrgEntries } from '../memory/org-entries.service.js';
import { Access } from '../platform/access.decorator.js';
import { Clock } from '../platform/clock.js';
import { SkillName } from '../skills/skills.schema.js';
import { Skills } from '../skills/skills.service.js';
import { decides } from './desk.service.js';
import { sendPage } from './pages.view.js';
import { skillRow, skillView } from './pool.js';
import { ConsoleProblems } from './problems.filter.js';
import { say } from './texts.js';

const PAGE = 40;
const SkillsQuery = z.object({
  q: z.string().trim().max(200).default('').catch(''),
  after: SkillName.optional().catch(undefined),
});
type SkillsQuery = z.infer<typeof SkillsQuery>;

/** The pool of approved skills. */
@ApiExcludeController()
@UseFilters(ConsoleProblems)
@Controller('skills')
export class PoolController {
  constructor(
    private readonly clock: Clock,
    private readonly skills: Skills,
    private readonly org: OrgEntries,
    private readonly effects: Effects,
  ) {}

  @Get()
  @Access('read', 'person')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: SkillsQuery }) { q, after }: SkillsQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const now = this.clock.now();
    const { items, total } = await this.skills.page({ after, limit: PAGE, ...(q === '' ? {} : { text: q }) });
    const last = items.length === PAGE ? items.at(-1)?.name : undefined;
    await sendPage(reply, caller, {
      ...{ template: 'skills', title: say('skills.title'), at: 'skills' },
      view: {
        ...{ q, total, rows: items.map((skill) => skillRow(skill, now)), isBehind: after !== undefined },
        more: last === undefined ? null : `/skills?${new URLSearchParams({ ...(q ? { q } : {}), after: last })}`,
      },
    });
  }

  @Get(':name')
  @Access('read', 'person')
  async show(
    @CurrentCaller() caller: Caller,
    @Param('name', { schema: SkillName }) name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const skill = await this.skills.show(name, 'everything');
    const versions = await this.org.history(name);
    const effect = await this.effects.of(name);
    const view = skillView({ skill, versions, effect, canRetire: decides(caller), now: this.clock.now() });
    await sendPage(reply, caller, { template: 'skill', title: name, at: 'skills', view, isWide: true });
  }
}
