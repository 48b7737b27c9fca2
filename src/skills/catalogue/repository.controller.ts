import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { Returns } from '../../platform/http/returns.decorator.js';
import { RepositoryState } from '../publishing/remote.schema.js';
import { Skills } from './skills.service.js';

@ApiTags('skills')
@ApiBearerAuth()
@Controller('v1/repository')
export class RepositoryController {
  constructor(private readonly skills: Skills) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'The skills repository: its head, its remote, and differences from the decisions' })
  @Returns(200, RepositoryState)
  state(): Promise<RepositoryState> {
    return this.skills.repository();
  }
}
