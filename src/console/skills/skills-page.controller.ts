import { Body, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentCaller, CurrentReviewerOrAdmin } from '../../access/identity/caller.decorator.js';
import { type Caller, canAdminister, canDecideProposals } from '../../access/identity/caller.js';
import { SetSkillRollout } from '../../approvals/decisions/set-rollout.js';
import { ProposalReader } from '../../approvals/queue/proposal-reader.service.js';
import { Effects } from '../../effect/effects.service.js';
import { SkillTimeline } from '../../effect/skill-timeline.service.js';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { RequireAnyScope, RequireScope } from '../../platform/http/require-scope.decorator.js';
import { Skills } from '../../skills/catalogue/skills.service.js';
import { Percent } from '../../skills/delivery/rollout.schema.js';
import { SkillUses } from '../../skills/delivery/skill-uses.service.js';
import { SkillName } from '../../skills/document/skill-name.schema.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';
import { sendPage } from '../frame/pages.view.js';
import { skillEnd, skillRows, skillView, versionView } from './skill-page.js';

const PAGE = 40;
const WEEKS = 12;
const WEEK_MS = 7 * DAY_MS;
const ROLLOUTS_SHOWN = 20;
const SkillsQuery = z.object({
  q: z.string().trim().max(200).default('').catch(''),
  after: SkillName.optional().catch(undefined),
  ended: z.literal('1').optional().catch(undefined),
});
type SkillsQuery = z.infer<typeof SkillsQuery>;
const Version = z.coerce.number().int().min(1).max(1_000_000);
const RolloutForm = z.object({ percent: z.coerce.number().pipe(Percent) });
type RolloutForm = z.infer<typeof RolloutForm>;

/** The pages of approved skills. */
@ConsoleController('skills')
export class SkillsPageController {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly skills: Skills,
    private readonly proposals: ProposalReader,
    private readonly setSkillRollout: SetSkillRollout,
    private readonly uses: SkillUses,
    private readonly org: OrgEntries,
    private readonly effects: Effects,
    private readonly timelines: SkillTimeline,
  ) {}

  @Get()
  @RequireScope('read', 'person')
  async list(
    @Query({ schema: SkillsQuery }) { q, after, ended }: SkillsQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const now = this.clock.now();
    const query = { after, limit: PAGE, ...(q === '' ? {} : { text: q }) };
    const endedSkills = await this.skills.ended(ended ? query : { limit: 0 });
    const { items, total } = ended ? endedSkills : await this.skills.page(query);
    const names = items.map(({ name }) => name);
    const applied = await this.uses.appliedPerInterval(names, new Date(now.getTime() - WEEKS * WEEK_MS), now, WEEKS);
    const last = items.length === PAGE ? items.at(-1)?.name : undefined;
    const kept = { ...(q ? { q } : {}), ...(ended ? { ended } : {}) };
    await sendPage(reply, {
      template: 'skills',
      title: 'Skills',
      section: 'skills',
      view: {
        q,
        total,
        isBehind: after !== undefined,
        isOfEnded: ended !== undefined,
        ended: endedSkills.total,
        rows: skillRows(items, applied, { parts: WEEKS, endedAt: endedSkills.endedAt }, now),
        weeks: WEEKS,
        more: last === undefined ? null : `/skills?${new URLSearchParams({ ...kept, after: last })}`,
      },
    });
  }

  @Get(':name')
  @RequireScope('read', 'person')
  async show(
    @CurrentCaller() caller: Caller,
    @Param('name', { schema: SkillName }) name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const skill = await this.skills.latest(name);
    const decisions = await this.skills.decisions(name);
    const stages = {
      subject: name,
      action: 'skill.rollout_set',
      after: 0,
      limit: ROLLOUTS_SHOWN,
      order: 'newest',
    } as const;
    const last = decisions.at(-1);
    const retirement = skill.ended && last?.kind === 'retire' ? await this.proposals.show(last.proposalId) : undefined;
    const now = this.clock.now();
    const retire = canDecideProposals(caller);
    const view = skillView({
      skill,
      decisions,
      now,
      end: skillEnd(skill, retirement, now),
      versions: await this.org.history(name),
      entries: (await this.journal.list(stages)).items,
      effect: await this.effects.forSkill(name),
      timeline: await this.timelines.of(name),
      can: { retire, roll: retire || canAdminister(caller) },
    });
    await sendPage(reply, { template: 'skill', title: name, section: 'skills', view, isWide: true });
  }

  @Get(':name/versions/:version')
  @RequireScope('read', 'person')
  async version(
    @Param('name', { schema: SkillName }) name: string,
    @Param('version', { schema: Version }) version: number,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const view = versionView(name, version, await this.skills.decisions(name), this.clock.now());
    if (!view) throw new DomainError('not_found', 'skill.not_found', `There is no version ${version} of "${name}".`);
    await sendPage(reply, { template: 'version', title: view.title, section: 'skills', view });
  }

  @PostForm(':name/rollout')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  async setRollout(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('name', { schema: SkillName }) name: string,
    @Body({ schema: RolloutForm }) { percent }: RolloutForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.setSkillRollout.set(actor, name, percent);
    await reply.redirect(`/skills/${name}`, 303);
  }
}
