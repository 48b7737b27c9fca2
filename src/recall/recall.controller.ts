import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { Access } from '../platform/http/access.decorator.js';
import { Answers } from '../platform/http/answers.decorator.js';
import { Recall, RecallRequest, RecallState, ToolAnswer, ToolCall, ToolParams } from './ranking/recall.schema.js';
import { Recalling } from './strategies/recall.service.js';

@ApiTags('recall')
@ApiBearerAuth()
@Controller('v1/recall')
export class RecallController {
  constructor(private readonly recalling: Recalling) {}

  @Post()
  @Access('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'What an agent is told for a task: fenced memories with their provenance, and why these' })
  @Answers(200, Recall)
  recall(@CurrentCaller() caller: Caller, @Body({ schema: RecallRequest }) request: RecallRequest): Promise<Recall> {
    return this.recalling.recall(caller, request);
  }

  @Post('tools/:tool')
  @Access('read', 'agent')
  @ApiOperation({ summary: 'Calls a tool of a strategy for the model that was given it' })
  @Answers(200, ToolAnswer)
  call(
    @CurrentCaller() caller: Caller,
    @Param({ schema: ToolParams }) { tool }: ToolParams,
    @Body({ schema: ToolCall }) call: ToolCall,
  ): Promise<ToolAnswer> {
    return this.recalling.call(caller, tool, call);
  }

  @Get()
  @Access('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'How memories are found, and how far their vectors are' })
  @Answers(200, RecallState)
  state(): RecallState {
    return this.recalling.state();
  }
}
