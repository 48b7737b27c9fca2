import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { Logger, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type AdministratorAccess, FirstStart } from './access/sign-in/first-start.service.js';
import { RequestCallers } from './access/sign-in/request-callers.service.js';
import { ApiDocumentController } from './api-document.controller.js';
import { AppModule } from './app.module.js';
import { ServerProcesses } from './platform/background/server-processes.service.js';
import type { Clock } from './platform/base/clock.js';
import type { Config } from './platform/config/config.js';
import { programPath } from './platform/config/environment.js';
import { Database } from './platform/database/database.js';
import { MIGRATIONS } from './platform/database/migrate.js';
import { listenError, requireFreeAddress } from './platform/http/listen.js';
import { hardenServer, rejectInvalidUrl } from './platform/http/web-server.js';
import { requireGit } from './platform/start/git-version.js';
import { probedPartOf, requireWritableFolder } from './platform/start/writable-folder.js';
import { REQUEST_ID_HEADER, requestIdOf } from './platform/telemetry/request-id.js';
import { ServerLogger } from './platform/telemetry/server-logger.js';
import { readProfile } from './recall/ranking/ranking-profile.service.js';
import { redact } from './untrusted/redaction/redact.js';

const REQUEST_TIMEOUT_MS = 120_000;

export interface RunningApplication {
  readonly app: NestFastifyApplication;
  readonly url: string;
  readonly database: Database['kind'];
  readonly administrator: AdministratorAccess;
  close(): Promise<void>;
  /** What is still open while it closes. */
  left(): Promise<string>;
}

/** Builds the application on an open database, with every route, before it listens. */
export async function buildApplication(
  config: Config,
  database: Database,
  options: { clock?: Clock; logger?: LoggerService | false } = {},
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A machine that is busy with other work takes longer than the default of 10 seconds to load the code of a plugin.
    pluginTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: rejectInvalidUrl,
    genReqId: ({ headers }: IncomingMessage) => requestIdOf(headers[REQUEST_ID_HEADER], (id) => redact(id).text === id),
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
  });
  const root = AppModule.with(config, database, options.clock);
  const app = await NestFactory.create<NestFastifyApplication>(
    root,
    adapter,
    // JSON is the only body. Nest would also read forms, which a foreign page can post without a preflight request.
    {
      logger: options.logger ?? new ServerLogger(config.logFormat, (text) => redact(text).text),
      abortOnError: false,
      bodyParser: false,
    },
  );
  hardenServer(adapter.getInstance(), config, app.get(RequestCallers));
  app.get(ApiDocumentController).described = { application: app, root };
  return app;
}

/** Opens the database, starts the application and listens. Throws with a clear message if a step fails. */
export async function startApplication(
  config: Config,
  logger?: LoggerService | false,
  migrate = true,
): Promise<RunningApplication> {
  // Before the database is opened, so that nothing is migrated for a start that is refused.
  if (config.rankingProfile !== undefined) readProfile(config.rankingProfile);
  await requireMachine(config);
  const database = await Database.open({
    url: config.databaseUrl,
    dataDir: config.dataDir,
    migrationsDir: MIGRATIONS,
    migrate,
  });
  try {
    const app = await buildApplication(config, database, logger === undefined ? {} : { logger });
    await app.init();
    await app.listen(config.port, config.host).catch(async (error: unknown) => {
      throw await listenError(error, config);
    });
    // With the port that it has now.
    await app.get(ServerProcesses).heartbeat();
    // After the port is open: a failed start must not consume a token that was never shown.
    const administrator = await app.get(FirstStart).run();
    return {
      app,
      url: (await app.getUrl()).replace('[::1]', 'localhost'),
      database: database.kind,
      administrator,
      close: () => app.close(),
      left: async () => {
        const connections = await promisify(app.getHttpServer().getConnections.bind(app.getHttpServer()))();
        return `${connections} connections, or background work that did not end`;
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Throws StartError if the address, git or a folder cannot be used: before the database is created, and in words that name them. */
async function requireMachine({ host, port, gitBinary, skillsDir }: Config): Promise<void> {
  await requireFreeAddress({ host, port });
  const warning = await requireGit({ gitBinary, path: programPath() });
  if (warning !== undefined) new Logger('Git').warn(warning);
  await requireWritableFolder(probedPartOf(skillsDir), 'GUILDBOOK_SKILLS_DIR');
  await requireWritableFolder(tmpdir(), 'TMPDIR');
}
