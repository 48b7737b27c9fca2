import { Body, Controller, Delete, Get, Ip, Param, Patch, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { AdminActor } from '../journal/actor.js';
import { Public } from '../platform/http/public.decorator.js';
import { RequireScope as Allow } from '../platform/http/require-scope.decorator.js';
import { Returns } from '../platform/http/returns.decorator.js';
import {
  Issued,
  Me,
  NewAgent,
  NewPerson,
  NewService,
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
import { Principals } from './identity/principals.service.js';
import { RateLimits } from './identity/rate-limits.service.js';
import { clearCookie, SESSION_COOKIE, SIGN_IN_COOKIE } from './sign-in/cookie.js';
import { SignIns } from './sign-in/sign-ins.service.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('access')
@ApiBearerAuth()
@Controller('v1')
export class AccessController {
  constructor(
    private readonly access: AuthService,
    private readonly principals: Principals,
    private readonly limits: RateLimits,
    private readonly signIns: SignIns,
  ) {}

  @Post('sign-in')
  @Public()
  @ApiOperation({ summary: 'Turn an invitation or a sign-in token into a personal token of at most an hour' })
  @Returns(200, SignedIn)
  signIn(@Body({ schema: SignIn }) body: SignIn, @Ip() address: string): Promise<SignedIn> {
    return this.limits.limitRejections(address, () => this.signIns.signIn(body.token, 'personal'));
  }

  @Post('sign-in/link')
  @Public()
  @ApiOperation({
    summary: 'A link that signs a browser in, once, within ten minutes: for the holder of a sign-in token',
  })
  @Returns(201, SignInLink)
  link(@Body({ schema: SignIn }) body: SignIn, @Ip() address: string): Promise<SignInLink> {
    return this.limits.limitRejections(address, () => this.signIns.link(body.token));
  }

  @Post('sign-out')
  @Allow('read', 'person')
  @ApiOperation({ summary: 'Revoke every sign-in of yours' })
  @Returns(204)
  async signOut(@CurrentCaller() caller: Caller, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.signIns.signOut(caller);
    void reply.header(
      'set-cookie',
      [SESSION_COOKIE, SIGN_IN_COOKIE].map((name) => clearCookie(name)),
    );
  }

  @Get('me')
  @Allow('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'Who this credential belongs to, and what it may do' })
  @Returns(200, Me)
  me(@CurrentCaller() caller: Caller): Promise<Me> {
    return this.access.me(caller);
  }

  @Get('agents')
  @Allow('read', 'person')
  @ApiOperation({ summary: 'The agents' })
  @Returns(200, PrincipalList)
  async agents(): Promise<PrincipalList> {
    return { items: await this.principals.list('agent') };
  }

  @Post('agents')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Register an agent; its token is shown this once' })
  @Returns(201, Issued)
  addAgent(@CurrentAdmin() actor: AdminActor, @Body({ schema: NewAgent }) body: NewAgent): Promise<Issued> {
    return this.principals.addAgent(actor, body);
  }

  @Get('services')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'The services (importers, bridges)' })
  @Returns(200, PrincipalList)
  async services(): Promise<PrincipalList> {
    return { items: await this.principals.list('service') };
  }

  @Post('services')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Register a service, such as an importer; its token is shown this once' })
  @Returns(201, Issued)
  addService(@CurrentAdmin() actor: AdminActor, @Body({ schema: NewService }) body: NewService): Promise<Issued> {
    return this.principals.addService(actor, body);
  }

  @Get('people')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'The people' })
  @Returns(200, PrincipalList)
  async people(): Promise<PrincipalList> {
    return { items: await this.principals.list('person') };
  }

  @Post('people')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Register a person; the answer holds their one-time sign-in token' })
  @Returns(201, Issued)
  addPerson(@CurrentAdmin() actor: AdminActor, @Body({ schema: NewPerson }) body: NewPerson): Promise<Issued> {
    return this.principals.addPerson(actor, body);
  }

  @Patch('people/:id')
  @Allow('administer', 'person')
  @ApiOperation({
    summary: "Change a person's roles; what they lose ends at once, for what they gain they sign in again",
  })
  @Returns(200, Principal)
  changePerson(
    @CurrentAdmin() actor: AdminActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: PersonChange }) body: PersonChange,
  ): Promise<Principal> {
    return this.principals.changePerson(actor, id, body);
  }

  @Post('people/:id/invite')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'A new one-time sign-in token for a person; everything they held is revoked' })
  @Returns(201, Issued)
  invite(@CurrentAdmin() actor: AdminActor, @Param('id', { schema: Id }) id: string): Promise<Issued> {
    return this.principals.invite(actor, id);
  }

  @Post('principals/:id/rotate')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'A new token for an agent or service; the old one stops working at once' })
  @Returns(201, Issued)
  rotate(
    @CurrentAdmin() actor: AdminActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: Rotation }) body: Rotation,
  ): Promise<Issued> {
    return this.principals.rotate(actor, id, body);
  }

  @Delete('principals/:id')
  @Allow('administer', 'person')
  @ApiOperation({ summary: 'Disable an agent, person or service: every credential stops working at once' })
  @Returns(200, Principal)
  disable(@CurrentAdmin() actor: AdminActor, @Param('id', { schema: Id }) id: string): Promise<Principal> {
    return this.principals.disable(actor, id);
  }
}
