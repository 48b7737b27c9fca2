import { Body, Get, Param, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Recall, RecallRequest, RecallState, ToolAnswer, ToolCall, ToolParams } from './ranking/recall.schema.js';
import { RecallService } from './strategies/recall.service.js';

@ApiController('recall', 'v1/recall')
export class RecallController {
  constructor(private readonly recallService: RecallService) {}

  @Post()
  @RequireScope('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'Recall memories for a task: fenced, with their provenance, and the reason for each' })
  @Returns(200, Recall)
  @Refuses(404, 'access.unknown_agent')
  recall(@CurrentCaller() caller: Caller, @Body({ schema: RecallRequest }) request: RecallRequest): Promise<Recall> {
    return this.recallService.recall(caller, request);
  }

  @Post('tools/:tool')
  @RequireScope('read', 'agent')
  @ApiOperation({ summary: 'Call a memory tool for the model' })
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
  @ApiOperation({ summary: 'Show the recall settings and the progress of the vector index' })
  @Returns(200, RecallState)
  getRecallState(): Promise<RecallState> {
    return this.recallService.state();
  }
}
