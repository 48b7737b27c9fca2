import { Body, Get, Inject, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AgentName, type Issued, NewAgent, NewPerson, type NewService } from '../../access/identity/access.schema.js';
import { CurrentAdmin, callerOf } from '../../access/identity/caller.decorator.js';
import { Principals } from '../../access/identity/principals.service.js';
import { serverOrigin } from '../../access/sign-in/same-origin.js';
import type { AdminActor } from '../../journal/actor.js';
import { Clock } from '../../platform/base/clock.js';
import type { Config } from '../../platform/config/config.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { CONFIG } from '../../platform/platform.module.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';
import { checkbox, optionalField } from '../frame/form-fields.js';
import { sendPage } from '../frame/pages.view.js';
import { ReviewScopeText } from './review-scope-form.js';
import { ServerState } from './server-state.service.js';
import { issuedView, principalRow, settingGroups } from './settings.js';

const PAGE = 40;
const PrincipalsQuery = z.object({
  q: z.string().trim().max(100).default('').catch(''),
  after: z.string().max(100).optional().catch(undefined),
});
type PrincipalsQuery = z.infer<typeof PrincipalsQuery>;
const Days = optionalField(z.coerce.number().int().min(1).max(3_650));
const { name, email } = NewPerson.shape;
const RolesForm = z.object({ reviewer: checkbox, admin: checkbox });
type RolesForm = z.infer<typeof RolesForm>;
const ReviewScopeForm = z.object({ reviewScope: ReviewScopeText });
type ReviewScopeForm = z.infer<typeof ReviewScopeForm>;
const PersonForm = RolesForm.extend({ name, email, reviewScope: ReviewScopeText });
type PersonForm = z.infer<typeof PersonForm>;
const label = optionalField(AgentName);
const AgentForm = z.object({
  name: NewAgent.shape.name,
  role: label,
  department: label,
  owner: label,
  expiresInDays: Days,
});
type AgentForm = z.infer<typeof AgentForm>;
const SCOPE_BOXES = ['report', 'read', 'propose'] as const;
const ServiceForm = z
  .object({
    name: NewAgent.shape.name,
    owner: label,
    expiresInDays: Days,
    report: checkbox,
    read: checkbox,
    propose: checkbox,
  })
  .refine((form) => SCOPE_BOXES.some((box) => form[box]), {
    error: 'a service needs at least one permission',
    path: ['report'],
  });
type ServiceForm = z.infer<typeof ServiceForm>;

const LIST_OF = { people: 'person', agents: 'agent', services: 'service' } as const;
const PART_OF = { person: 'people', agent: 'agents', service: 'services' } as const;

type Part = keyof typeof LIST_OF;
const pathOf = (part: Part): string => (part === 'people' ? '/settings' : `/settings/${part}`);

/** People, agents and services with their credentials, and the configuration of the server. For administrators. */
@ConsoleController('settings')
export class SettingsController {
  /** Read once: the configuration does not change while the process runs. */
  private readonly groups: ReturnType<typeof settingGroups>;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly principals: Principals,
    private readonly state: ServerState,
  ) {
    this.groups = settingGroups(config);
  }

  @Get()
  @RequireScope('administer', 'person')
  people(@Query({ schema: PrincipalsQuery }) query: PrincipalsQuery, @Res() reply: FastifyReply) {
    return this.list(reply, 'people', query);
  }

  @Get('agents')
  @RequireScope('administer', 'person')
  agents(@Query({ schema: PrincipalsQuery }) query: PrincipalsQuery, @Res() reply: FastifyReply) {
    return this.list(reply, 'agents', query);
  }

  @Get('services')
  @RequireScope('administer', 'person')
  services(@Query({ schema: PrincipalsQuery }) query: PrincipalsQuery, @Res() reply: FastifyReply) {
    return this.list(reply, 'services', query);
  }

  @Get('server')
  @RequireScope('administer', 'person')
  async server(@Res() reply: FastifyReply): Promise<void> {
    const [state, tables] = [await this.state.facts(), await this.state.tables()];
    const view = { part: 'server', state, ...tables, groups: this.groups };
    await sendPage(reply, {
      template: 'settings-server',
      title: 'Settings',
      section: 'settings',
      view,
    });
  }

  @PostForm('people')
  @RequireScope('administer', 'person')
  async addPerson(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: PersonForm }) form: PersonForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.issued(reply, await this.principals.addPerson(actor, form));
  }

  @PostForm('people/:id/roles')
  @RequireScope('administer', 'person')
  async changeRoles(
    @CurrentAdmin() actor: AdminActor,
    @PathId() id: string,
    @Body({ schema: RolesForm }) roles: RolesForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.principals.changePerson(actor, id, roles);
    await reply.redirect('/settings', 303);
  }

  @PostForm('people/:id/review-scope')
  @RequireScope('administer', 'person')
  async changeReviewScope(
    @CurrentAdmin() actor: AdminActor,
    @PathId() id: string,
    @Body({ schema: ReviewScopeForm }) form: ReviewScopeForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.principals.changePerson(actor, id, form);
    await reply.redirect('/settings', 303);
  }

  @PostForm('people/:id/invite')
  @RequireScope('administer', 'person')
  async invite(@CurrentAdmin() actor: AdminActor, @PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    await this.issued(reply, await this.principals.invite(actor, id));
  }

  @PostForm('agents')
  @RequireScope('administer', 'person')
  async addAgent(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: AgentForm }) form: AgentForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.issued(reply, await this.principals.addAgent(actor, form));
  }

  @PostForm('services')
  @RequireScope('administer', 'person')
  async addService(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: ServiceForm }) { report, read, propose, ...service }: ServiceForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const scopes: NewService['scopes'] = [
      ...(report ? (['report-for'] as const) : []),
      ...(read ? (['read'] as const) : []),
      ...(propose ? (['propose'] as const) : []),
    ];
    await this.issued(reply, await this.principals.addService(actor, { ...service, scopes }));
  }

  @PostForm('principals/:id/rotate')
  @RequireScope('administer', 'person')
  async rotate(@CurrentAdmin() actor: AdminActor, @PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    await this.issued(reply, await this.principals.rotate(actor, id));
  }

  @PostForm('principals/:id/disable')
  @RequireScope('administer', 'person')
  async disable(@CurrentAdmin() actor: AdminActor, @PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    const { kind } = await this.principals.disable(actor, id);
    await reply.redirect(pathOf(PART_OF[kind]), 303);
  }

  private async list(reply: FastifyReply, part: Part, { q, after }: PrincipalsQuery): Promise<void> {
    const page = await this.principals.page(LIST_OF[part], { after, limit: PAGE, ...(q === '' ? {} : { text: q }) });
    const now = this.clock.now();
    const more =
      page.next === null ? null : `${pathOf(part)}?${new URLSearchParams({ ...(q ? { q } : {}), after: page.next })}`;
    await sendPage(reply, {
      template: part === 'people' ? 'settings-people' : 'settings-machines',
      title: 'Settings',
      section: 'settings',
      view: {
        part,
        path: pathOf(part),
        q,
        more,
        isAgents: part === 'agents',
        isLong: q !== '' || after !== undefined || more !== null,
        rows: page.items.map((principal) => principalRow(principal, callerOf(reply.request).id, now)),
      },
    });
  }

  /** Shows the credential in this response only; reloading the page does not show it again. */
  private async issued(reply: FastifyReply, credential: Issued): Promise<void> {
    const back = pathOf(PART_OF[credential.principal.kind]);
    const view = {
      ...issuedView(credential, serverOrigin(this.config, reply.request), back, this.clock.now()),
      arrivals: null,
    };
    await sendPage(reply, { template: 'issued', title: view.title, section: 'settings', status: 201, view });
  }
}
