import { Body, Controller, Delete, Get, Ip, Patch, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { AdminActor } from '../journal/actor.js';
import { Public } from '../platform/http/public.decorator.js';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireScope as Allow, TakesTurn } from '../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../platform/http/returns.decorator.js';
import {
  AgentChange,
  Issued,
  Me,
  NewAgent,
  NewPerson,
  NewService,
  OwnAgent,
  PersonChange,
  Principal,
  PrincipalList,
  Rotation,
  SignedIn,
  SignIn,
  SignInLink,
} from './identity/access.schema.js';
import { AuthService } from './identity/auth.service.js';
import { CurrentAdmin, CurrentCaller } from './identity/caller.decorator.js';
import type { Caller } from './identity/caller.js';
import { OwnAgents } from './identity/own-agents.service.js';
import { Principals } from './identity/principals.service.js';
import { RateLimits } from './identity/rate-limits.service.js';
import { clearCookie, SESSION_COOKIE, SIGN_IN_COOKIE } from './sign-in/cookie.js';
import { SignIns } from './sign-in/sign-ins.service.js';

@ApiBearerAuth()
@Controller('v1')
export class AccessController {
  constructor(
    private readonly access: AuthService,
    private readonly principals: Principals,
    private readonly ownAgents: OwnAgents,
    private readonly limits: RateLimits,
    private readonly signIns: SignIns,
  ) {}

  @Post('sign-in')
  @Public('refusals')
  @ApiOperation({
    summary: 'Exchange an invitation or a sign-in token for a personal token valid for at most one hour',
  })
  @Returns(200, SignedIn)
  @ApiTags('sign-in')
  @Refuses(401, 'access.unknown', 'access.expired', 'access.revoked', 'access.already_used', 'access.not_a_sign_in')
  @Refuses(429, 'request.rate_limited')
  signIn(@Body({ schema: SignIn }) body: SignIn, @Ip() address: string): Promise<SignedIn> {
    return this.limits.limitRejections(address, () => this.signIns.signIn(body.token, 'personal'));
  }

  @Post('sign-in/link')
  @Public('refusals')
  @ApiOperation({
    summary: 'Create a link that signs a browser in once within ten minutes; requires a sign-in token',
  })
  @Returns(201, SignInLink)
  @ApiTags('sign-in')
  @Refuses(401, 'access.unknown', 'access.expired', 'access.revoked', 'access.already_used', 'access.not_a_sign_in')
  @Refuses(429, 'request.rate_limited')
  createSignInLink(@Body({ schema: SignIn }) body: SignIn, @Ip() address: string): Promise<SignInLink> {
    return this.limits.limitRejections(address, () => this.signIns.link(body.token));
  }

  @Post('sign-out')
  @Allow('read', 'person')
  @ApiOperation({ summary: 'Revoke all your sign-ins' })
  @Returns(204)
  @ApiTags('sign-in')
  async signOut(@CurrentCaller() caller: Caller, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.signIns.signOut(caller);
    void reply.header(
      'set-cookie',
      [SESSION_COOKIE, SIGN_IN_COOKIE].map((name) => clearCookie(name)),
    );
  }

  @Get('me')
  @Allow('read', 'agent', 'person', 'service')
  @TakesTurn(false)
  @ApiOperation({ summary: 'Get the owner and the scopes of this credential' })
  @Returns(200, Me)
  @ApiTags('sign-in')
  @Refuses(404, 'access.unknown_principal')
  getMe(@CurrentCaller() caller: Caller): Promise<Me> {
    return this.access.me(caller);
  }

  @Post('me/agents')
  @Allow('read', 'person')
  @ApiOperation({
    summary: 'Issue a token to your own agent for a product, registered under your name; other tokens of it stay valid',
  })
  @Returns(201, Issued)
  @ApiTags('agents')
  @Refuses(409, 'access.name_taken', 'access.disabled')
  issueOwnAgentToken(
    @CurrentCaller() caller: Caller,
    @Body({ schema: OwnAgent }) { product }: OwnAgent,
  ): Promise<Issued> {
    return this.ownAgents.issue(caller, product);
  }

  @Delete('me/token')
  @Allow('report', 'agent')
  @ApiOperation({ summary: 'Revoke the token of this request; for agents' })
  @Returns(204)
  @ApiTags('agents')
  revokeOwnToken(@CurrentCaller() caller: Caller): Promise<void> {
    return this.ownAgents.revoke(caller);
  }

  @Get('agents')
  @Allow('read', 'person')
  @ApiOperation({ summary: 'List agents' })
  @Returns(200, PrincipalList)
  @ApiTags('agents')
  async listAgents(): Promise<PrincipalList> {
    return { items: await this.principals.list('agent') };
  }

  @Post('agents')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Register an agent; the response shows its token once' })
  @Returns(201, Issued)
  @ApiTags('agents')
  @Refuses(409, 'access.name_taken')
  registerAgent(@CurrentAdmin() actor: AdminActor, @Body({ schema: NewAgent }) body: NewAgent): Promise<Issued> {
    return this.principals.addAgent(actor, body);
  }

  @Patch('agents/:id')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Change the core block of an agent: its budget, and whether the agent may write it' })
  @Returns(200, Principal)
  @ApiTags('agents')
  @Refuses(404, 'access.unknown_principal')
  @Refuses(409, 'access.disabled')
  updateAgent(
    @CurrentAdmin() actor: AdminActor,
    @PathId() id: string,
    @Body({ schema: AgentChange }) body: AgentChange,
  ): Promise<Principal> {
    return this.principals.changeAgent(actor, id, body);
  }

  @Get('services')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'List services (importers, bridges)' })
  @Returns(200, PrincipalList)
  @ApiTags('services')
  async listServices(): Promise<PrincipalList> {
    return { items: await this.principals.list('service') };
  }

  @Post('services')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Register a service, such as an importer; the response shows its token once' })
  @Returns(201, Issued)
  @ApiTags('services')
  @Refuses(409, 'access.name_taken')
  registerService(@CurrentAdmin() actor: AdminActor, @Body({ schema: NewService }) body: NewService): Promise<Issued> {
    return this.principals.addService(actor, body);
  }

  @Get('people')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'List people' })
  @Returns(200, PrincipalList)
  @ApiTags('people')
  async listPeople(): Promise<PrincipalList> {
    return { items: await this.principals.list('person') };
  }

  @Post('people')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Register a person; the response contains their one-time sign-in token' })
  @Returns(201, Issued)
  @ApiTags('people')
  @Refuses(409, 'access.name_taken', 'access.email_taken')
  registerPerson(@CurrentAdmin() actor: AdminActor, @Body({ schema: NewPerson }) body: NewPerson): Promise<Issued> {
    return this.principals.addPerson(actor, body);
  }

  @Patch('people/:id')
  @Allow('administer', 'person')
  @ApiOperation({
    summary: "Change a person's roles; removed rights end at once, added rights need a new sign-in",
  })
  @Returns(200, Principal)
  @ApiTags('people')
  @Refuses(404, 'access.unknown_principal')
  @Refuses(409, 'access.disabled', 'access.last_administrator')
  updatePerson(
    @CurrentAdmin() actor: AdminActor,
    @PathId() id: string,
    @Body({ schema: PersonChange }) body: PersonChange,
  ): Promise<Principal> {
    return this.principals.changePerson(actor, id, body);
  }

  @Post('people/:id/invite')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Issue a new one-time sign-in token to a person; revokes all their credentials' })
  @Returns(201, Issued)
  @ApiTags('people')
  @Refuses(404, 'access.unknown_principal')
  @Refuses(409, 'access.disabled')
  invitePerson(@CurrentAdmin() actor: AdminActor, @PathId() id: string): Promise<Issued> {
    return this.principals.invite(actor, id);
  }

  @Post('principals/:id/rotate')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Issue a new token to an agent or service; the old one stops working at once' })
  @Returns(201, Issued)
  @ApiTags('principals')
  @Refuses(404, 'access.unknown_principal')
  @Refuses(409, 'access.disabled')
  rotateToken(
    @CurrentAdmin() actor: AdminActor,
    @PathId() id: string,
    @Body({ schema: Rotation }) body: Rotation,
  ): Promise<Issued> {
    return this.principals.rotate(actor, id, body);
  }

  @Delete('principals/:id')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Disable an agent, person or service; all its credentials stop working at once' })
  @Returns(200, Principal)
  @ApiTags('principals')
  @Refuses(404, 'access.unknown_principal')
  @Refuses(409, 'access.self', 'access.disabled', 'access.last_administrator')
  disablePrincipal(@CurrentAdmin() actor: AdminActor, @PathId() id: string): Promise<Principal> {
    return this.principals.disable(actor, id);
  }
}
