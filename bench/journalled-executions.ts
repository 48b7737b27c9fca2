import type { AgentActor } from '../src/journal/actor.js';
import { JournalRepository } from '../src/journal/journal.repository.js';
import { Journal } from '../src/journal/journal.service.js';
import { SystemClock } from '../src/platform/base/clock.js';
import { Database } from '../src/platform/database/database.js';

const MIGRATIONS = new URL('../prisma/migrations', import.meta.url).pathname;
/** Entries of one transaction. */
const BATCH = 1_000;

interface Stored {
  readonly id: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly reportSha256: string;
  readonly toolCalls: number;
}

/** Appends the entry of each stored execution to the journal, as the intake of reports does. */
export async function journalExecutions(url: string): Promise<void> {
  const database = await Database.open({ url, migrationsDir: MIGRATIONS });
  const journal = new Journal(database, new JournalRepository(), new SystemClock());
  try {
    const executions = await database.sqlTransaction(
      (tx) => tx.$queryRaw<Stored[]>`
        SELECT e."id", e."agent_id" AS "agentId", p."name" AS "agentName", e."report_sha256" AS "reportSha256",
          jsonb_array_length(e."report"->'toolCalls') AS "toolCalls"
        FROM "execution" e JOIN "principal" p ON p."id" = e."agent_id" ORDER BY e."received_at", e."id"`,
    );
    for (let at = 0; at < executions.length; at += BATCH)
      await database.sqlTransaction((tx) => journal.appendAll(tx, executions.slice(at, at + BATCH).map(entryOf)));
  } finally {
    await database.close();
  }
}

function entryOf({ id, agentId, agentName, reportSha256, toolCalls }: Stored) {
  const actor: AgentActor = { kind: 'agent', id: agentId, name: agentName };
  const data = { reportSha256, redactions: [], toolCalls, status: 'completed' };
  return { actor, action: 'execution.reported', subject: { type: 'execution', id }, data };
}
