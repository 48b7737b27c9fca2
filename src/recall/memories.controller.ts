import { Body, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiConsumes, ApiOperation } from '@nestjs/swagger';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { MemoryWriter } from '../memory/lessons/memory-writer.service.js';
import { NewMemory, NoteLines, RememberBatch, RememberResult } from '../memory/lessons/remember.schema.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { GateDecision, ToolCallCheck } from './gate/gate.schema.js';
import { Gate } from './gate/gate.service.js';

@ApiController('recall', 'v1')
export class MemoriesController {
  constructor(
    private readonly memoryWriter: MemoryWriter,
    private readonly gate: Gate,
  ) {}

  @Post('memories')
  @RequireScope('report', 'agent')
  @ApiOperation({
    summary: 'Store a memory: private to the agent and unverified, with the memories it was derived from',
  })
  @Returns(201, RememberResult)
  @Refuses(403, 'memory.category_read_only', 'access.scope_missing', 'access.wrong_kind', 'access.cross_origin')
  @Refuses(404, 'memory.not_found')
  @Refuses(409, 'memory.block_full')
  remember(@CurrentCaller() caller: Caller, @Body({ schema: NewMemory }) memory: NewMemory): Promise<RememberResult> {
    return this.memoryWriter.remember(actorOf(caller), readerOf(caller), memory);
  }

  @Post('memories/batch')
  @RouteConfig({ takesLines: true })
  @RequireScope('report', 'agent')
  @ApiOperation({ summary: 'Store up to 1,000 memories, one JSON document per line; each line has its own result' })
  @ApiConsumes('application/x-ndjson')
  @Returns(200, RememberBatch)
  @Refuses(403, 'memory.category_read_only', 'access.scope_missing', 'access.wrong_kind', 'access.cross_origin')
  rememberBatch(
    @CurrentCaller() caller: Caller,
    @Body({ schema: NoteLines }) lines: NoteLines,
  ): Promise<RememberBatch> {
    return this.memoryWriter.rememberAll(actorOf(caller), readerOf(caller), lines);
  }

  @Post('gate')
  @RequireScope('read', 'agent')
  @ApiOperation({ summary: 'Check before a tool call whether these memories may authorise it' })
  @Returns(200, GateDecision)
  checkToolCall(
    @CurrentCaller() caller: Caller,
    @Body({ schema: ToolCallCheck }) call: ToolCallCheck,
  ): Promise<GateDecision> {
    return this.gate.check(actorOf(caller), readerOf(caller), call);
  }
}

const actorOf = ({ id, name }: Caller) => ({ kind: 'agent', id, name }) as const;
const readerOf = ({ id, role, department }: Caller) => ({ agentId: id, role, department });
