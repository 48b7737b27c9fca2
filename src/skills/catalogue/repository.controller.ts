import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { ApiController, Returns } from '../../platform/http/returns.decorator.js';
import { RepositoryState } from '../publishing/remote.schema.js';
import { Skills } from './skills.service.js';

@ApiController('skills', 'v1/repository')
export class RepositoryController {
  constructor(private readonly skills: Skills) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'The skills repository: its head, its remote, and differences from the decisions' })
  @Returns(200, RepositoryState)
  getRepository(): Promise<RepositoryState> {
    return this.skills.repository();
  }
}
