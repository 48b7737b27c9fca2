import { Body, Get, Headers, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AgentName, type Issued, NewAgent } from '../../access/identity/access.schema.js';
import { CurrentAdmin, CurrentCaller, callerOf } from '../../access/identity/caller.decorator.js';
import { type Caller, canAdminister } from '../../access/identity/caller.js';
import { Principals } from '../../access/identity/principals.service.js';
import { serverOrigin } from '../../access/sign-in/same-origin.js';
import type { AdminActor } from '../../journal/actor.js';
import { Clock } from '../../platform/base/clock.js';
import type { Config } from '../../platform/config/config.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { CONFIG } from '../../platform/platform.module.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';
import { optionalField } from '../frame/form-fields.js';
import { PART_MEDIA_TYPE, sendPage, sendPart } from '../frame/pages.view.js';
import { issuedView } from '../settings/settings.js';
import { FirstRun, type PasteResult } from './first-run.service.js';

const REFRESH_SECONDS = 3;
const MEGABYTE = 1_048_576;

const ImporterForm = z.object({ name: NewAgent.shape.name });
type ImporterForm = z.infer<typeof ImporterForm>;
const AgentForm = z.object({ name: NewAgent.shape.name, owner: optionalField(AgentName) });
type AgentForm = z.infer<typeof AgentForm>;
const PasteForm = z.object({ agent: AgentName, text: z.string().min(1) });
type PasteForm = z.infer<typeof PasteForm>;

/** The first-run page. */
@ConsoleController('start')
export class StartController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly principals: Principals,
    private readonly firstRun: FirstRun,
  ) {}

  @Get()
  @RequireScope('read', 'person')
  show(@Res() reply: FastifyReply): Promise<void> {
    return this.page(reply, {});
  }

  /** Reloads until executions have arrived. The script requests only the part and replaces it in place. */
  @Get('arrived')
  @RequireScope('read', 'person')
  async arrived(
    @CurrentCaller() caller: Caller,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const arrivals = await this.firstRun.arrivals(caller);
    if (accept === PART_MEDIA_TYPE) return sendPart(reply, 'arrivals', arrivals);
    await sendPage(reply, {
      template: 'arrived',
      title: 'Get started',
      section: 'dashboard',
      view: { arrivals },
      ...(arrivals.isWaiting ? { refresh: REFRESH_SECONDS } : {}),
    });
  }

  @PostForm('importer')
  @RequireScope('administer', 'person')
  async importer(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: ImporterForm }) { name }: ImporterForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const issued = await this.principals.addService(actor, { name, scopes: ['report-for', 'read'] });
    await this.issued(reply, issued);
  }

  @PostForm('agent')
  @RequireScope('administer', 'person')
  async agent(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: AgentForm }) form: AgentForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.issued(reply, await this.principals.addAgent(actor, form));
  }

  @PostForm('paste')
  @RequireScope('report-for', 'person')
  async paste(
    @CurrentCaller() caller: Caller,
    @Body({ schema: PasteForm }) { agent, text }: PasteForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const pasted = await this.firstRun.importTranscript(caller, agent, text);
    await this.page(reply, 'problem' in pasted ? { ...pasted, agent, status: 400 } : { pasted });
  }

  private async page(reply: FastifyReply, { pasted, agent = '', problem, status = 200 }: Said): Promise<void> {
    const caller = callerOf(reply.request);
    await sendPage(reply, {
      template: 'start',
      title: 'Get started',
      section: 'dashboard',
      status,
      view: {
        pasted: pasted ?? null,
        agent,
        problem: problem ?? null,
        arrivals: await this.firstRun.arrivals(caller),
        canAdd: canAdminister(caller),
        megabytes: Math.floor((this.config.bodyLimitBytes / MEGABYTE) * 10) / 10,
      },
    });
  }

  private async issued(reply: FastifyReply, credential: Issued): Promise<void> {
    const view = issuedView(credential, serverOrigin(this.config, reply.request), '/start', this.clock.now());
    const arrivals = await this.firstRun.arrivals(callerOf(reply.request));
    await sendPage(reply, {
      template: 'issued',
      title: view.title,
      section: 'dashboard',
      status: 201,
      view: { ...view, arrivals },
    });
  }
}

interface Said {
  readonly pasted?: PasteResult;
  readonly agent?: string;
  readonly problem?: string;
  readonly status?: number;
}
