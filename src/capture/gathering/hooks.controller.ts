import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AGENT_HEADER } from '../../access/identity/access.schema.js';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { RequireAnyScope } from '../../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../../platform/http/returns.decorator.js';
import { HookPayload, HookResponse } from '../hook-events/hook.schema.js';
import { claudeCodeHooksFormat, codexHooksFormat } from '../hook-events/hooks.importer.js';
import { Hooks } from './hooks.service.js';

/** The arguments of a tool can be nested deeply. */
const HOOK_DEPTH = 64;
const REPORTS = [
  { scope: 'report', kinds: ['agent'] },
  { scope: 'report-for', kinds: ['service', 'person'] },
] as const;

@ApiTags('executions')
@ApiBearerAuth()
@Controller('v1/hooks')
export class HooksController {
  constructor(private readonly hooks: Hooks) {}

  @Post('claude-code')
  @HttpCode(200)
  @RouteConfig({ jsonDepth: HOOK_DEPTH })
  @RequireAnyScope(...REPORTS)
  @ApiOperation({ summary: 'A hook event of Claude Code. The session is reported as an execution after its end' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: name of the agent that ran it' })
  @Returns(200, HookResponse)
  @Refuses(409, 'execution.agent_disabled')
  reportClaudeCodeHook(
    @CurrentCaller() caller: Caller,
    @Body({ schema: HookPayload }) hook: HookPayload,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<HookResponse> {
    return this.hooks.receive(caller, agent, claudeCodeHooksFormat, hook);
  }

  @Post('codex')
  @HttpCode(200)
  @RouteConfig({ jsonDepth: HOOK_DEPTH })
  @RequireAnyScope(...REPORTS)
  @ApiOperation({ summary: 'A hook event of Codex. The session is reported as an execution after its end' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: name of the agent that ran it' })
  @Returns(200, HookResponse)
  @Refuses(409, 'execution.agent_disabled')
  reportCodexHook(
    @CurrentCaller() caller: Caller,
    @Body({ schema: HookPayload }) hook: HookPayload,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<HookResponse> {
    return this.hooks.receive(caller, agent, codexHooksFormat, hook);
  }
}
