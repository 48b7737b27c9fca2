import { Body, Get, Header, Headers, Param, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiHeader, ApiOperation } from '@nestjs/swagger';
import { AGENT_HEADER } from '../access/identity/access.schema.js';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { RequireAnyScope, RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { HookAnswers } from './hook-answers.service.js';
import { HookAddress, HookBody, HookProductParam, HookResponse, HookState } from './hook-response.schema.js';

/** The arguments of a tool can be nested deeply. */
const HOOK_DEPTH = 64;
/** The address of the project's git remote, without a name or a password in it. */
const ORIGIN_HEADER = 'x-guildbook-origin';
/** `yes`: an agent waits for the answer, although the credential is not its own. `no`: none does. */
const LIVE_HEADER = 'guildbook-live';
const REPORTS = [
  { scope: 'report', kinds: ['agent'] },
  { scope: 'report-for', kinds: ['service', 'person'] },
] as const;

function readLive(header: string | undefined): boolean | undefined {
  const word = header?.trim().toLowerCase();
  return word === 'yes' ? true : word === 'no' ? false : undefined;
}

@ApiController('executions', 'v1/hooks')
export class HooksController {
  constructor(private readonly answers: HookAnswers) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'How many events this process could not read' })
  @Returns(200, HookState)
  getHookState(): HookState {
    return { unknownEvents: this.answers.unknownEvents };
  }

  @Post(':product/:event')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @RouteConfig({ jsonDepth: HOOK_DEPTH })
  @RequireAnyScope(...REPORTS)
  @ApiOperation({ summary: 'An event of an agent product: what the session should know now, in the form of its hooks' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: name of the agent that ran it' })
  @ApiHeader({
    name: LIVE_HEADER,
    required: false,
    description: '`yes` or `no`: whether an agent waits; without it, an agent does',
  })
  @ApiHeader({ name: ORIGIN_HEADER, required: false, description: "Address of the project's git remote" })
  @Returns(200, HookResponse)
  @Refuses(409, 'execution.agent_disabled')
  reportHook(
    @CurrentCaller() caller: Caller,
    @Param({ schema: HookAddress }) address: HookAddress,
    @Body({ schema: HookBody }) body: HookBody,
    @Headers(AGENT_HEADER) agent?: string,
    @Headers(LIVE_HEADER) live?: string,
    @Headers(ORIGIN_HEADER) origin?: string,
  ): Promise<string> {
    return this.answers.receive(caller, { ...address, body, agent, isLive: readLive(live), origin, mayRefuse: true });
  }

  @Post(':product')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @RouteConfig({ jsonDepth: HOOK_DEPTH })
  @RequireAnyScope(...REPORTS)
  @ApiOperation({ summary: 'The same for hooks that name their event in the body' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: name of the agent that ran it' })
  @ApiHeader({
    name: LIVE_HEADER,
    required: false,
    description: '`yes` or `no`: whether an agent waits; without it, an agent does',
  })
  @Returns(200, HookResponse)
  @Refuses(409, 'execution.agent_disabled')
  reportNamedHook(
    @CurrentCaller() caller: Caller,
    @Param({ schema: HookProductParam }) { product }: HookProductParam,
    @Body({ schema: HookBody }) body: HookBody,
    @Headers(AGENT_HEADER) agent?: string,
    @Headers(LIVE_HEADER) live?: string,
  ): Promise<string> {
    const event = String(body['hook_event_name'] ?? '');
    const sent = { product, event, body, agent, isLive: readLive(live), origin: undefined, mayRefuse: false };
    return this.answers.receive(caller, sent);
  }
}
