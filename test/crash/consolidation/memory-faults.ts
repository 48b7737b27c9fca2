import type { Database } from '../../../src/platform/database/database.js';
import { journalFaults } from '../journal-faults.js';
import { leasesOf, memoryOf, runsOf } from './memory-state.js';

/** The faults found, each described in one line. */
export interface MemoryFaults {
  readonly halfDone: string[];
  readonly lost: string[];
  readonly doubled: string[];
  readonly other: string[];
}

export const noMemoryFaults = (): MemoryFaults => ({ halfDone: [], lost: [], doubled: [], other: [] });

/** The memory of each agent before its run, and after it in a database that was never killed. */
export interface Expected {
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

/** Compares the memory with the runs, the leases and the journal. */
export async function memoryFaults(database: Database, keyFile: string, expected: Expected): Promise<MemoryFaults> {
  const faults = noMemoryFaults();
  await againstRuns(database, expected, faults);
  for (const { kind, id, what } of await wrongLessons(database)) faults[kind].push(`lesson ${id} ${what}`);
  for (const { kind, id, what } of await wrongEntries(database)) faults[kind].push(`entry ${id} ${what}`);
  await againstJournal(database, keyFile, faults);
  return faults;
}

async function againstRuns(database: Database, { before, after }: Expected, faults: MemoryFaults): Promise<void> {
  const runs = await runsOf(database);
  const memory = await memoryOf(database);
  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const agent of before.keys()) {
    const own = runs.filter((run) => run.agent === agent);
    const isDone = own.some(({ state }) => state === 'completed');
    const is = memory.get(agent);
    if (is !== (isDone ? after : before).get(agent)) {
      const like = is === before.get(agent) ? 'as before' : is === after.get(agent) ? 'as after' : 'neither';
      faults.halfDone.push(`agent ${agent} ${isDone ? 'has' : 'has no'} completed run; its memory is ${like}`);
    }
    if (own.filter(({ state }) => state === 'running').length > 1)
      faults.other.push(`agent ${agent} has several runs in progress`);
  }
  for (const { agent, holder } of await leasesOf(database))
    if (byId.get(holder)?.state === 'failed') faults.other.push(`a failed run holds the lease of agent ${agent}`);
}

interface WrongRow {
  readonly kind: 'lost' | 'doubled' | 'other';
  readonly id: string;
  readonly what: string;
}

/** What no memory may hold, whatever the runs were. */
const wrongLessons = (database: Database): Promise<WrongRow[]> => database.client.$queryRaw<WrongRow[]>`
  WITH RECURSIVE "follows" ("id", "next") AS (
      SELECT "id", "superseded_by_id" FROM "memory" WHERE "superseded_by_id" IS NOT NULL
      UNION SELECT f."id", m."superseded_by_id" FROM "follows" f JOIN "memory" m ON m."id" = f."next"
       WHERE m."superseded_by_id" IS NOT NULL)
  SELECT 'doubled' AS "kind", m."id"::text AS "id", 'is live and superseded' AS "what" FROM "memory" m
   WHERE m."scope" = 'agent' AND m."superseded_at" IS NULL
     AND (m."superseded_by_id" IS NOT NULL OR m."end_reason" IS NOT NULL OR m."ended_by_run_id" IS NOT NULL)
  UNION ALL
  SELECT 'lost', m."id"::text, 'has neither a live descendant nor a reason' FROM "memory" m
   WHERE m."scope" = 'agent' AND m."superseded_at" IS NOT NULL AND m."end_reason" IS DISTINCT FROM 'pruned'
     AND NOT EXISTS (SELECT 1 FROM "follows" f JOIN "memory" d ON d."id" = f."next"
                      WHERE f."id" = m."id" AND (d."superseded_at" IS NULL OR d."end_reason" = 'pruned'))
  UNION ALL
  SELECT 'lost', m."id"::text, 'has a witness that its successor lacks' FROM "memory" m
    JOIN "memory_witness" w ON w."memory_id" = m."id"
   WHERE m."end_reason" IN ('merged', 'covered', 'dated') AND NOT EXISTS (
     SELECT 1 FROM "memory_witness" s WHERE s."memory_id" = m."superseded_by_id" AND s."execution_id" = w."execution_id")
  UNION ALL
  SELECT 'other', m."id"::text, 'counts other witnesses than it has' FROM "memory" m
   WHERE m."scope" = 'agent' AND m."witness_count" <> (SELECT count(*) FROM "memory_witness" w WHERE w."memory_id" = m."id")
  UNION ALL
  SELECT 'doubled', m."id"::text, 'was written by a run, and its sources are live' FROM "memory" m
   WHERE m."created_by_run_id" IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM "memory" s WHERE s."superseded_by_id" = m."id" AND s."ended_by_run_id" = m."created_by_run_id")
  UNION ALL
  SELECT 'other', m."id"::text, 'was changed by a run that did not complete' FROM "memory" m
    JOIN "run" r ON r."id" IN (m."created_by_run_id", m."ended_by_run_id")
   WHERE r."state" <> 'completed'`;

/** The same of the entries of a session memory: one that ended for another needs that one to be live. */
const wrongEntries = (database: Database): Promise<WrongRow[]> => database.client.$queryRaw<WrongRow[]>`
  SELECT 'doubled' AS "kind", e."id"::text AS "id", 'is live and superseded' AS "what" FROM "memory" e
   WHERE e."scope" = 'project' AND e."superseded_at" IS NULL AND (e."superseded_by_id" IS NOT NULL OR e."ended_by_run_id" IS NOT NULL)
  UNION ALL
  SELECT 'lost', e."id"::text, 'ended for an entry that is not live' FROM "memory" e
   WHERE e."scope" = 'project' AND e."end_reason" = 'merged' AND NOT EXISTS (
     SELECT 1 FROM "memory" s WHERE s."id" = e."superseded_by_id" AND s."superseded_at" IS NULL)
  UNION ALL
  SELECT 'lost', e."id"::text, 'was ended, although a person wrote it, pinned it or left it open' FROM "memory" e
   WHERE e."scope" = 'project' AND e."superseded_at" IS NOT NULL AND (e."written_by" = 'person' OR e."pinned_at" IS NOT NULL OR e."kind" = 'open-thread')
  UNION ALL
  SELECT 'other', e."id"::text, 'was ended by a run that did not complete' FROM "memory" e
    LEFT JOIN "run" r ON r."id" = e."ended_by_run_id"
   WHERE e."scope" = 'project' AND e."superseded_at" IS NOT NULL AND r."state" IS DISTINCT FROM 'completed'`;

/** A lesson or an entry that a run ended, with the one that stands for it. */
interface Ended {
  readonly id: string;
  readonly by?: string | null;
}

const lineOf = ({ id, by }: Ended): string => `${id} ${by ?? ''}`;

const RECORDED_AS = { lessons: 'memory.lessons_consolidated', entries: 'session.entries_consolidated' } as const;

const namedIn = (rows: readonly JournalRow[], what: keyof typeof RECORDED_AS): Ended[] =>
  rows.filter(({ action }) => action === RECORDED_AS[what]).flatMap(({ data }): Ended[] => JSON.parse(data)[what]);

interface JournalRow {
  readonly action: string;
  readonly subject: string;
  readonly data: string;
}

/** Each run that completed, and each lesson and entry that it ended, is in the journal once, and nothing else. */
async function againstJournal(database: Database, keyFile: string, faults: MemoryFaults): Promise<void> {
  const entries = await database.client.$queryRaw<JournalRow[]>`
    SELECT "action", "subject_id" AS "subject", "data" FROM "journal_entry" ORDER BY "seq"`;
  const runs = await runsOf(database);
  const journalled = entries.filter(({ action }) => action === 'consolidation.completed').map(({ subject }) => subject);
  const completed = runs.filter(({ state }) => state === 'completed').map(({ id }) => id);
  if (journalled.sort().join() !== completed.sort().join())
    faults.other.push(`${completed.length} runs completed, ${journalled.length} are journalled`);
  const ended = {
    lessons: await database.client.$queryRaw<Ended[]>`
      SELECT "id"::text AS "id", "superseded_by_id"::text AS "by" FROM "memory"
       WHERE "scope" = 'agent' AND "ended_by_run_id" IS NOT NULL`,
    entries: await database.client.$queryRaw<Ended[]>`
      SELECT "id"::text AS "id", "superseded_by_id"::text AS "by" FROM "memory"
       WHERE "scope" = 'project' AND "ended_by_run_id" IS NOT NULL`,
  };
  for (const what of ['lessons', 'entries'] as const) {
    const named = namedIn(entries, what);
    if (named.map(lineOf).sort().join() !== ended[what].map(lineOf).sort().join())
      faults.other.push(`${ended[what].length} ${what} were ended by runs, the journal names ${named.length}`);
  }
  faults.other.push(...(await journalFaults(database, keyFile)));
}
