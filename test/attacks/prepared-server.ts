import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createServerDatabase, type ServerDatabase } from '../support/server-database.js';
import type { AttackedServer, Section } from './attack.js';
import { BuiltServer } from './built-server.js';

/**
 * A server that was started once and has its first person. Each section works on a copy of it, because a first start of
 * the embedded database takes ten seconds.
 */
export class PreparedServer {
  private constructor(
    private readonly folder: string,
    private readonly template: ServerDatabase | undefined,
    private readonly adminToken: string,
  ) {}

  static async make(database: AttackedServer['database']): Promise<PreparedServer> {
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-attacks-'));
    const template = database === 'postgresql' ? await createServerDatabase() : undefined;
    if (database === 'postgresql' && template === undefined) throw new Error('TEST_DATABASE_URL names no server');
    const first = join(folder, 'first');
    mkdirSync(first);
    const server = new BuiltServer({ folder: first, databaseUrl: template?.url });
    await server.start();
    await server.stop();
    return new PreparedServer(folder, template, server.adminToken);
  }

  /** Runs `work` with a copy, and deletes the copy afterwards. */
  async withCopy<T>(section: Section, work: (server: AttackedServer) => Promise<T>): Promise<T> {
    const folder = mkdtempSync(join(this.folder, 'copy-'));
    cpSync(join(this.folder, 'first'), folder, { recursive: true });
    const copy = this.template && (await copyOf(this.template));
    const server = new BuiltServer({
      folder,
      databaseUrl: copy?.url,
      adminToken: this.adminToken,
      ...(section.settings === undefined ? {} : { settings: section.settings }),
    });
    try {
      await server.start();
      return await work(server);
    } finally {
      await server.stop();
      await copy?.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async remove(): Promise<void> {
    await this.template?.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A database with the content of the template, which no one may use meanwhile. */
async function copyOf({ url }: ServerDatabase): Promise<ServerDatabase> {
  const copy = await createServerDatabase();
  if (copy === undefined) throw new Error('TEST_DATABASE_URL names no server');
  const nameOf = (address: string) => new URL(address).pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  try {
    // Both names are made by createServerDatabase.
    await client.query(`DROP DATABASE ${nameOf(copy.url)}`);
    await client.query(`CREATE DATABASE ${nameOf(copy.url)} TEMPLATE ${nameOf(url)}`);
  } finally {
    await client.end();
  }
  return copy;
}
