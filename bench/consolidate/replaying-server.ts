import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Guildbook } from '../../src/client/guildbook.js';
import { BuiltServer } from '../../test/attacks/built-server.js';
import { createDatabaseOn, type ServerDatabase } from '../../test/support/server-database.js';
import type { ObservedExecution } from '../fidelity/product-lessons.js';
import type { StoredLesson } from './descendants.js';
import { readLessons } from './stored-lessons.js';

/** Once a year: only what the benchmark asks for changes a lesson. */
const RARELY = '0 0 1 1 *';
const SETTINGS = {
  GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000',
  GUILDBOOK_CONSOLIDATION_CRON: 'off',
  GUILDBOOK_UPKEEP_CRON: 'off',
  GUILDBOOK_EVOLVER_CRON: RARELY,
};
const LIMIT = 10;
/** The most that a recall may have: here only the number of lessons limits it. */
const TOKEN_BUDGET = 32_000;
const TIMEOUT_MS = 600_000;
/** What the name of an agent may not hold. */
const NOT_IN_NAMES = /[^A-Za-z0-9 ._@/-]/g;

/** An agent of a set, registered at the server. */
interface Agent {
  readonly id: string;
  readonly name: string;
  readonly client: Guildbook;
}

/** What a search returned: the lessons in order, and the records as a model reads them, one a line. */
export interface Recalled {
  readonly ids: readonly string[];
  readonly lines: readonly string[];
}

/** The built server on a new database of a PostgreSQL server, otherwise on the embedded one. */
export class ReplayingServer {
  readonly #agents = new Map<string, Agent>();

  private constructor(
    private readonly server: BuiltServer,
    private readonly database: ServerDatabase | undefined,
    private readonly admin: Guildbook,
  ) {}

  static async start(databaseServer: string | undefined): Promise<ReplayingServer> {
    const database = databaseServer === undefined ? undefined : await createDatabaseOn(databaseServer);
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-consolidate-'));
    const server = new BuiltServer({ folder, databaseUrl: database?.url, settings: SETTINGS });
    try {
      await server.start();
    } catch (error) {
      await remove(server, database);
      throw error;
    }
    const { url, adminToken: token } = server;
    return new ReplayingServer(server, database, new Guildbook({ server: url, token, timeoutMs: TIMEOUT_MS }));
  }

  get kind(): string {
    return this.server.database;
  }

  /** Reports executions one after another, each by the agent that the set names, and waits until all are learned from. */
  async learn(set: string, executions: readonly ObservedExecution[], progress: (text: string) => void): Promise<void> {
    for (const [at, { row, report }] of executions.entries()) {
      const { client } = await this.agent(set, row.agentId);
      // The id of a row may have been redacted to that of another one.
      await client.executions.report({ ...report, executionId: `${set} ${at + 1}` });
      if ((at + 1) % 200 === 0) progress(`${at + 1} of ${executions.length} executions reported`);
    }
    for (;;) {
      const { awaitingCapture, awaitingProposal } = await this.admin.executions.status();
      if (awaitingCapture + awaitingProposal === 0) return;
      await sleep(200);
    }
  }

  /** The id of an agent that has reported; undefined otherwise. */
  idOf(set: string, agent: string): string | undefined {
    return this.#agents.get(keyOf(set, agent))?.id;
  }

  /**
   * The product's search for an agent, by an administrator: it does not count as use of a lesson. Returns nothing for an
   * agent that never reported.
   */
  async recall(set: string, agent: string, query: string): Promise<Recalled> {
    const known = this.#agents.get(keyOf(set, agent));
    if (known === undefined) return { ids: [], lines: [] };
    const { memories, messages } = await this.admin.recall({
      query,
      agent: known.name,
      limit: LIMIT,
      tokenBudget: TOKEN_BUDGET,
    });
    const text = messages.map(({ content }) => content).join('\n');
    return { ids: memories.map(({ id }) => id), lines: text.split('\n').filter((line) => line.startsWith('{')) };
  }

  /** Waits until all lessons are embedded; the first recall begins it. */
  async embedded(): Promise<void> {
    const [agent] = this.#agents.values();
    if (agent === undefined) return;
    await this.admin.recall({ query: 'error', agent: agent.name });
    for (;;) {
      const { vectors } = await this.admin.recallState();
      if (vectors.problem !== null) throw new Error(`the lessons are not embedded: ${vectors.problem}`);
      if (vectors.pending === 0) return;
      await sleep(200);
    }
  }

  /** Consolidates every agent that has lessons, as an administrator requests it. */
  async consolidate(): Promise<void> {
    for (const { id, name } of this.#agents.values()) {
      const { items } = await this.admin.consolidation.run({ agentId: id });
      const failed = items.find(({ state }) => state !== 'completed');
      if (failed) throw new Error(`the run of ${name} ended as ${failed.state}: ${failed.failure ?? ''}`);
    }
  }

  /** Stops the server and reads what it stored. */
  async lessons(): Promise<StoredLesson[]> {
    await this.server.stop();
    return readLessons(this.database ?? { dataDir: this.server.dataDir });
  }

  remove(): Promise<void> {
    return remove(this.server, this.database);
  }

  private async agent(set: string, agent: string): Promise<Agent> {
    const known = this.#agents.get(keyOf(set, agent));
    if (known) return known;
    const name = `${set} ${this.#agents.size + 1} ${agent}`.replaceAll(NOT_IN_NAMES, '-').slice(0, 100);
    const { principal, token } = await this.admin.agents.add({ name, owner: name });
    const client = new Guildbook({ server: this.server.url, token, timeoutMs: TIMEOUT_MS });
    const added = { id: principal.id, name, client };
    this.#agents.set(keyOf(set, agent), added);
    return added;
  }
}

async function remove(server: BuiltServer, database: ServerDatabase | undefined): Promise<void> {
  await server.stop();
  await database?.drop();
  rmSync(server.folder, { recursive: true, force: true });
}

const keyOf = (set: string, agent: string): string => JSON.stringify([set, agent]);
