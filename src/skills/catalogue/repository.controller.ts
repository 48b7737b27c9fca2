import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../../platform/http/access.decorator.js';
import { Answers } from '../../platform/http/answers.decorator.js';
import { RepositoryState } from '../publishing/remote.schema.js';
import { Skills } from './skills.service.js';

@ApiTags('skills')
@ApiBearerAuth()
@Controller('v1/repository')
export class RepositoryController {
  constructor(private readonly skills: Skills) {}

  @Get()
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'The skills repository: its head, and how far the remote has come' })
  @Answers(200, RepositoryState)
  state(): Promise<RepositoryState> {
    return this.skills.repository();
  }
}
