import { setTimeout } from 'node:timers/promises';
import { Body, Get, Inject, Logger, Query, Res } from '@nestjs/common';
import { sendAt } from 'cron';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentAdmin, CurrentCaller } from '../../access/identity/caller.decorator.js';
import { type Caller, canAdminister, jobRequestedBy } from '../../access/identity/caller.js';
import { Consolidation } from '../../consolidate/consolidation.service.js';
import type { ConsolidationRun } from '../../consolidate/consolidation-run.schema.js';
import type { AdminActor } from '../../journal/actor.js';
import { MemoryKeeping } from '../../memory/lessons/memory-keeping.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { stackOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { CONFIG } from '../../platform/platform.module.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';
import { moment } from '../frame/in-words.js';
import { sendPage } from '../frame/pages.view.js';
import {
  consolidationRow,
  consolidationView,
  namedEntries,
  namedLessons,
  questionRow,
  type RunTexts,
  type Texts,
} from './consolidation-pages.js';

const SHOWN = 40;
const REFRESH_SECONDS = 3;
const MAX_WAIT_MS = 2_000;
const PageQuery = z.object({ nothing: z.literal('1').optional().catch(undefined) });
type PageQuery = z.infer<typeof PageQuery>;
const RunForm = z.object({
  dryRun: z.literal('true').optional(),
  agentId: z.uuid({ error: 'must be a UUID' }).optional(),
});
type RunForm = z.infer<typeof RunForm>;

/** Consolidation runs: what each did to the memory of an agent, and its undoing. */
@ConsoleController('consolidation')
export class ConsolidationPageController {
  private readonly logger = new Logger(ConsolidationPageController.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly consolidation: Consolidation,
    private readonly memory: MemoryKeeping,
  ) {}

  @Get()
  @RequireScope('read', 'person')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: PageQuery }) { nothing }: PageQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const now = this.clock.now();
    const { items } = await this.consolidation.list({ limit: SHOWN });
    const { consolidationMinHours: hours, consolidationMinSessions: sessions, consolidationCron: cron } = this.config;
    await sendPage(reply, {
      template: 'consolidations',
      title: 'Consolidation',
      section: 'fleet',
      ...(items.some(({ state }) => state === 'running') ? { refresh: REFRESH_SECONDS } : {}),
      view: {
        rows: items.map((run) => consolidationRow(run, now)),
        hours,
        sessions,
        next: cron === 'off' ? null : moment(sendAt(cron).toJSDate().toISOString(), now),
        isNothing: nothing !== undefined,
        canRun: canAdminister(caller),
        questions: (await this.memory.questions(caller)).slice(0, SHOWN).map((one) => questionRow(one, now)),
      },
    });
  }

  @Get(':id')
  @RequireScope('read', 'person')
  async show(@CurrentCaller() caller: Caller, @PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    const run = await this.consolidation.show(id);
    const view = consolidationView(run, await this.textsOf(caller, run), this.clock.now(), canAdminister(caller));
    await sendPage(reply, {
      template: 'consolidation',
      title: view.title,
      section: 'fleet',
      view,
      ...(run.state === 'running' ? { refresh: REFRESH_SECONDS } : {}),
    });
  }

  /** Runs for one agent, or for all of them. Waits for short runs; the pages of long ones show their progress. */
  @PostForm()
  @RequireScope('administer', 'person')
  async run(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: RunForm }) { dryRun, agentId }: RunForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const running = this.consolidation.run(jobRequestedBy(actor), {
      dryRun: dryRun !== undefined,
      ...(agentId === undefined ? {} : { agentId }),
    });
    // After the answer, a failure is only in the log.
    running.catch((error: unknown) => this.logger.error(stackOf(error)));
    const started = await Promise.race([running, setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
    if (started && started.items.length === 0) {
      if (started.busy.length === 0) return void (await reply.redirect('/consolidation?nothing=1', 303));
      throw new DomainError(
        'conflict',
        'consolidation.busy',
        `Another run is in progress for ${started.busy.map(({ agent }) => agent).join(', ')}; wait for it.`,
      );
    }
    const [first] = started?.items ?? [];
    const isOne = started !== undefined && started.items.length === 1 && first !== undefined;
    await reply.redirect(isOne ? `/consolidation/${first.id}` : '/consolidation', 303);
  }

  @PostForm(':id/undo')
  @RequireScope('administer', 'person')
  async undo(@CurrentAdmin() actor: AdminActor, @PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    await this.consolidation.undo(actor, id);
    await reply.redirect(`/consolidation/${id}`, 303);
  }

  private async textsOf(caller: Caller, run: ConsolidationRun): Promise<RunTexts> {
    const named = namedEntries(run);
    return {
      lessons: await this.lessonTexts(namedLessons(run)),
      entries:
        run.agentId === null || named.length === 0
          ? new Map()
          : await this.memory.entryTexts(caller, run.agentId, named),
      leftEnded: run.undoneAt === null ? 0 : await this.memory.entriesEndedBy(run.id),
    };
  }

  private async lessonTexts(ids: readonly string[]): Promise<Texts> {
    const texts = new Map<string, string>();
    for (const id of ids) {
      const entry = await this.memory.show(id).catch(ignoreMissing);
      if (entry) texts.set(id, entry.lesson.discovery);
    }
    return texts;
  }
}

/** A lesson that was deleted for good. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof DomainError && error.kind === 'not_found') return undefined;
  throw error;
}
