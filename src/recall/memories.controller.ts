import { Body, Controller, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { MemoryWriter } from '../memory/lessons/memory-writer.service.js';
import { NewMemory, RememberResult } from '../memory/lessons/remember.schema.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../platform/http/returns.decorator.js';
import { GateDecision, ToolCallCheck } from './gate/gate.schema.js';
import { Gate } from './gate/gate.service.js';

@ApiTags('recall')
@ApiBearerAuth()
@Controller('v1')
export class MemoriesController {
  constructor(
    private readonly rememberService: MemoryWriter,
    private readonly gate: Gate,
  ) {}

  @Post('memories')
  @RequireScope('report', 'agent')
  @ApiOperation({
    summary: 'Keep something for later: private to the agent, unverified, with what it was concluded from',
  })
  @Returns(201, RememberResult)
  @Refuses(404, 'memory.not_found')
  @Refuses(409, 'memory.block_full')
  remember(@CurrentCaller() caller: Caller, @Body({ schema: NewMemory }) memory: NewMemory): Promise<RememberResult> {
    return this.rememberService.remember(actorOf(caller), readerOf(caller), memory);
  }

  @Post('gate')
  @RequireScope('read', 'agent')
  @ApiOperation({ summary: 'May these memories feed this tool call? Ask before it is made' })
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
