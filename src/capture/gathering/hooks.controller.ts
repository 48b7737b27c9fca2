import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AGENT_HEADER } from '../../access/identity/access.schema.js';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { AccessAny } from '../../platform/http/access.decorator.js';
import { Answers } from '../../platform/http/answers.decorator.js';
import { HookAnswer, HookPayload } from '../hook-events/hook.schema.js';
import { claudeCodeHooksFormat, codexHooksFormat } from '../hook-events/hooks.importer.js';
import { Hooks } from './hooks.service.js';

/** A tool's arguments are nested as its author liked. */
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
  @AccessAny(...REPORTS)
  @ApiOperation({ summary: 'A hook of Claude Code: the session becomes an execution when it has ended' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: the agent that ran it' })
  @Answers(200, HookAnswer)
  claudeCode(
    @CurrentCaller() caller: Caller,
    @Body({ schema: HookPayload }) hook: HookPayload,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<HookAnswer> {
    return this.hooks.take(caller, agent, claudeCodeHooksFormat, hook);
  }

  @Post('codex')
  @HttpCode(200)
  @RouteConfig({ jsonDepth: HOOK_DEPTH })
  @AccessAny(...REPORTS)
  @ApiOperation({ summary: 'A hook of Codex: the session becomes an execution when it has ended' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: the agent that ran it' })
  @Answers(200, HookAnswer)
  codex(
    @CurrentCaller() caller: Caller,
    @Body({ schema: HookPayload }) hook: HookPayload,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<HookAnswer> {
    return this.hooks.take(caller, agent, codexHooksFormat, hook);
  }
}
