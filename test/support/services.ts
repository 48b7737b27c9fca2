import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PrincipalRepository } from '../../src/access/identity/principal.repository.js';
import type { Reporter } from '../../src/access/identity/reporter.js';
import { JournalModule } from '../../src/journal/journal.module.js';
import { Ids } from '../../src/platform/base/ids.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Constants } from '../../src/platform/config/constants.js';
import type { Database } from '../../src/platform/database/database.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { openTestDatabase } from './database.js';
import { MovableClock } from './movable-clock.js';
import { reporter } from './reporter.js';

export interface TestServices extends Pick<INestApplicationContext, 'get'> {
  readonly database: Database;
  readonly clock: MovableClock;
  /** Stores an agent that reports for itself. It has no token. */
  agent(name: string, owner?: string): Promise<Reporter>;
  close(): Promise<void>;
}

/**
 * Starts the services of one module and of its imports on a new database: a fraction of `startTestApplication`, which
 * adds every other module, the routes, a port, a signed-in administrator and a skills repository.
 */
export async function startServices(
  module: Type,
  environment: Record<string, string> = {},
  constants: Partial<Constants> = {},
): Promise<TestServices> {
  const { database, drop } = await openTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'guildbook-services-'));
  const config = loadConfig(
    {
      GUILDBOOK_SKILLS_DIR: join(folder, 'skills'),
      GUILDBOOK_JOURNAL_KEY_FILE: join(folder, 'journal-key.pem'),
      ...environment,
    },
    { jobPollMs: 86_400_000, ...constants },
  );
  const clock = new MovableClock();
  const imports = [PlatformModule.with(config, database, 'here', clock), JournalModule, module];
  const services = await NestFactory.createApplicationContext(
    { module: class TestModule {}, imports },
    { logger: false, abortOnError: false },
  );
  return {
    get: services.get.bind(services),
    database,
    clock,
    agent: async (name, owner) => {
      const id = services.get(Ids).uuid();
      const row = { id, kind: 'agent', name, owner, createdAt: clock.now() } as const;
      await services.get(PrincipalRepository).create(database.client, row);
      return reporter(id, name, owner);
    },
    close: async () => {
      await services.close();
      await drop();
      await rm(folder, { recursive: true });
    },
  };
}
