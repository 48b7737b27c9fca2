import { Body, Controller, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { NewMemory, Remembered } from '../memory/lessons/remember.schema.js';
import { Remembering } from '../memory/lessons/remembering.service.js';
import { Access } from '../platform/http/access.decorator.js';
import { Answers } from '../platform/http/answers.decorator.js';
import { GateDecision, ToolCallCheck } from './gate/gate.schema.js';
import { Gate } from './gate/gate.service.js';

@ApiTags('recall')
@ApiBearerAuth()
@Controller('v1')
export class MemoriesController {
  constructor(
    private readonly remembering: Remembering,
    private readonly gate: Gate,
  ) {}

  @Post('memories')
  @Access('report', 'agent')
  @ApiOperation({
    summary: 'Keep something for later: private to the agent, unverified, with what it was concluded from',
  })
  @Answers(201, Remembered)
  remember(@CurrentCaller() caller: Caller, @Body({ schema: NewMemory }) memory: NewMemory): Promise<Remembered> {
    return this.remembering.remember(actorOf(caller), readerOf(caller), memory);
  }

  @Post('gate')
  @Access('read', 'agent')
  @ApiOperation({ summary: 'May these memories feed this tool call? Ask before it is made' })
  @Answers(200, GateDecision)
  check(@CurrentCaller() caller: Caller, @Body({ schema: ToolCallCheck }) call: ToolCallCheck): Promise<GateDecision> {
    return this.gate.check(actorOf(caller), readerOf(caller), call);
  }
}

const actorOf = ({ id, name }: Caller) => ({ kind: 'agent', id, name }) as const;
const readerOf = ({ id, role, department }: Caller) => ({ agentId: id, role, department });
