import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DomainError } from '../base/domain.errors.js';
import { Database, WorkerDatabase } from '../database/database.js';
import { Public } from '../http/public.decorator.js';
import { Readiness } from '../http/readiness.service.js';
import { RequireScope } from '../http/require-scope.decorator.js';
import { Refuses, Returns } from '../http/returns.decorator.js';
import { Health, Ready, ServerState } from './health.schema.js';
import { ServerStates } from './server-state.service.js';

/** The names of the database and of the login are for administrators; everybody can read the rest. */
const HOW = '; "guildbook status" shows an administrator the SQL that puts it in force';

@ApiTags('health')
@Controller()
export class HealthController {
  private ping: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly worker: WorkerDatabase,
    private readonly readiness: Readiness,
    private readonly states: ServerStates,
  ) {}

  @Public('none')
  @Get('healthz')
  @ApiOperation({ summary: 'Check that the process is alive' })
  @Returns(200, Health)
  getHealth(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Public('none')
  @Get('readyz')
  @ApiOperation({ summary: 'Check that the server is ready; queries the database' })
  @Returns(200, Ready)
  @Refuses(503, 'database.unavailable')
  async getReadiness(): Promise<Ready> {
    // Requests at the same time share one query: this route has no limit.
    this.ping ??= this.database.ping().finally(() => (this.ping = undefined));
    await this.ping.catch(() => {
      throw new DomainError('unavailable', 'database.unavailable', 'The database is not responding.');
    });
    const { roleProblem, roleSql } = this.worker;
    const roles =
      roleProblem === undefined ? 'in force' : `not in force: ${roleProblem}${roleSql.length > 0 ? HOW : ''}`;
    const problems = this.readiness.problems();
    return {
      status: problems.length === 0 ? 'ready' : 'degraded',
      problems,
      database: this.database.kind,
      roles,
      progress: this.readiness.progress(),
    };
  }

  @Get('v1/server')
  @ApiBearerAuth()
  @RequireScope('administer', 'person')
  @ApiOperation({
    summary: 'The processes of the server, its queues and scheduled jobs, and the role of background work',
  })
  @Returns(200, ServerState)
  getServer(): Promise<ServerState> {
    return this.states.read();
  }
}
