import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Recall, RecallRequest, RecallState, ToolAnswer, ToolCall, ToolParams } from './ranking/recall.schema.js';
import { RecallService } from './strategies/recall.service.js';

@ApiTags('recall')
@ApiBearerAuth()
@Controller('v1/recall')
export class RecallController {
  constructor(private readonly recallService: RecallService) {}

  @Post()
  @RequireScope('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'What an agent is told for a task: fenced memories with their provenance, and why these' })
  @Returns(200, Recall)
  @Refuses(404, 'access.unknown_agent')
  recall(@CurrentCaller() caller: Caller, @Body({ schema: RecallRequest }) request: RecallRequest): Promise<Recall> {
    return this.recallService.recall(caller, request);
  }

  @Post('tools/:tool')
  @RequireScope('read', 'agent')
  @ApiOperation({ summary: 'Calls a tool of a strategy for the model that was given it' })
  @Returns(200, ToolAnswer)
  @Refuses(404, 'recall.unknown_tool', 'memory.not_found')
  @Refuses(409, 'memory.block_full')
  callRecallTool(
    @CurrentCaller() caller: Caller,
    @Param({ schema: ToolParams }) { tool }: ToolParams,
    @Body({ schema: ToolCall }) call: ToolCall,
  ): Promise<ToolAnswer> {
    return this.recallService.call(caller, tool, call);
  }

  @Get()
  @RequireScope('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'How memories are found, and how far their vectors are' })
  @Returns(200, RecallState)
  getRecallState(): RecallState {
    return this.recallService.state();
  }
}
