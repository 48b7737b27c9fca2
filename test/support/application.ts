import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FirstAdministrator } from '../../src/access/identity/first-administrator.service.js';
import { buildApplication } from '../../src/application.js';
import { CaptureWorker } from '../../src/capture/analysis/capture-worker.service.js';
import { Guildbook } from '../../src/client/guildbook.js';
import { PropagationWorker } from '../../src/memory/upkeep/propagation-worker.service.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Constants } from '../../src/platform/config/constants.js';
import type { Database } from '../../src/platform/database/database.js';
import { PromotionWorker } from '../../src/promote/promotion-worker.service.js';
import { ProposerWorker } from '../../src/propose/lessons/proposer-worker.service.js';
import { RetrievalRecorder } from '../../src/recall/strategies/retrieval-recorder.service.js';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { openTestDatabase } from './database.js';
import { watchAnswers } from './documented-answers.js';
import { MovableClock } from './movable-clock.js';

export interface TestApplication {
  readonly app: NestFastifyApplication;
  readonly database: Database;
  /** Undefined for the embedded database. */
  readonly databaseUrl: string | undefined;
  readonly clock: MovableClock;
  readonly url: string;
  readonly skillsDir: string;
  /** Signed in as administrator and reviewer. */
  readonly admin: Guildbook;
  readonly adminToken: string;
  /** A client with the given token, or without one. */
  client(token?: string): Guildbook;
  /** Registers an agent. Returns its token and a client with it. */
  agent(name: string, owner?: string): Promise<{ id: string; token: string; client: Guildbook }>;
  /** Registers a person and signs them in. */
  person(
    name: string,
    roles: { reviewer?: boolean; admin?: boolean },
  ): Promise<{ id: string; token: string; client: Guildbook }>;
  /** Waits until capture, proposer and publisher are idle, and recalls are recorded and checked. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the whole application on a new database and skills repository, listening on a free port. Silent without a logger.
 * `constants` overrides values that no environment variable can change.
 */
export async function startTestApplication(
  environment: Record<string, string> = {},
  logger: LoggerService | false = false,
  constants: Partial<Constants> = {},
): Promise<TestApplication> {
  const { database, url: databaseUrl, drop } = await openTestDatabase();
  const skillsDir = await mkdtemp(join(tmpdir(), 'guildbook-skills-'));
  const keyFile = `${skillsDir}.journal-key.pem`;
  // Specs send requests faster than a fleet. The rate limits have separate specs.
  // Specs say when a cycle runs.
  const limits = { GUILDBOOK_RATE_LIMIT_PRINCIPAL: '1000000', GUILDBOOK_EVOLVER_ENABLED: 'false' };
  const config = loadConfig(
    { GUILDBOOK_SKILLS_DIR: skillsDir, GUILDBOOK_JOURNAL_KEY_FILE: keyFile, ...limits, ...environment },
    // Specs move the clock; a job runs when they say so.
    { rateLimitRefused: 1_000_000, rateLimitPublic: 1_000_000, jobPollMs: 86_400_000, ...constants },
  );
  const clock = new MovableClock();
  const app = await buildApplication(config, database, { clock, logger });
  app.enableShutdownHooks();
  const answers = watchAnswers(app);
  await app.init();
  const first = await app.get(FirstAdministrator).ensure();
  if (first.state !== 'issued') throw new Error('the test database is not empty');
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const client = (token?: string) => new Guildbook({ server: url, token });
  const { token: adminToken } = await client().signIn(first.token);
  const admin = client(adminToken);
  return {
    app,
    database,
    databaseUrl,
    clock,
    url,
    skillsDir,
    admin,
    adminToken,
    client,
    agent: async (name, owner) => {
      const { principal, token } = await admin.agents.add({ name, ...(owner ? { owner } : {}) });
      return { id: principal.id, token, client: client(token) };
    },
    person: async (name, { reviewer = false, admin: isAdmin = false }) => {
      const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.org`;
      const invited = await admin.people.add({ name, email, reviewer, admin: isAdmin });
      const { token } = await client().signIn(invited.token);
      return { id: invited.principal.id, token, client: client(token) };
    },
    settled: () => settle(app),
    close: async () => {
      const undocumented = await answers.undocumented();
      await app.close();
      await drop();
      await rm(skillsDir, { recursive: true, force: true });
      await rm(keyFile, { force: true });
      if (undocumented.length > 0) throw new Error(`The API document lacks these answers:\n${undocumented.join('\n')}`);
    },
  };
}

/** Waits until capture, proposer and publisher of a process are idle, and recalls are recorded and checked. */
export async function settle(app: NestFastifyApplication): Promise<void> {
  for (const worker of [app.get(CaptureWorker), app.get(ProposerWorker), app.get(Publisher)]) {
    worker.wake();
    await worker.idle();
  }
  await app.get(PropagationWorker).idle();
  await app.get(RetrievalRecorder).idle();
  await app.get(PromotionWorker).idle();
}
