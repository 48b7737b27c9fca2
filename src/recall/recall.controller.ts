import { Body, Controller, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/caller.decorator.js';
import type { Caller } from '../access/caller.js';
import { Access } from '../platform/access.decorator.js';
import { Answers } from '../platform/answers.decorator.js';
import { Recall, RecallRequest } from './recall.schema.js';
import { Recalling } from './recall.service.js';

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
}
