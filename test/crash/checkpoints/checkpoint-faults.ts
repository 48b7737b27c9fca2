import { sha256 } from '../../../src/platform/base/canonical-json.js';
import type { Database } from '../../../src/platform/database/database.js';
import { LatentModel } from '../../../src/recall/embedding/latent-model.js';
import { LocalEmbedder } from '../../../src/recall/embedding/local-embedder.strategy.js';
import { journalFaults } from '../journal-faults.js';
import type { Serving } from './tuner.js';

const CONFIGURED = 'configured';
/** A rollback during a run makes its verdict void. */
const SERVED_CHANGED = 'What is served changed during the run.';

interface CheckpointRow {
  readonly id: string;
  readonly runId: string;
  readonly name: string;
  readonly dimensions: number;
  readonly model: Uint8Array | null;
  readonly modelSha256: string;
  readonly deletedAt: Date | null;
}

interface Entry {
  readonly action: string;
  readonly subject: string;
  readonly data: { readonly replaced?: string; readonly operation?: string };
}

export interface EmbedderState {
  readonly activeId: string | null;
  readonly checkpoints: readonly CheckpointRow[];
  readonly hasActiveRun: boolean;
  /** Checkpoints that the active run needs. */
  readonly neededIds: readonly (string | null)[];
}

export async function stateOf(database: Database): Promise<EmbedderState> {
  const { client } = database;
  const active = await client.activeEmbedder.findUnique({ where: { id: 1 } });
  const checkpoints = await client.embedderCheckpoint.findMany({ orderBy: { createdAt: 'asc' } });
  const running = await client.tuningRun.findFirst({
    where: { state: { in: ['queued', 'running'] } },
    omit: { saved: true },
  });
  const neededIds = running ? [running.checkpointId, running.servedCheckpointId] : [];
  return { activeId: active?.checkpointId ?? null, checkpoints, hasActiveRun: running !== null, neededIds };
}

/** What no database may hold, whenever a process was killed. */
export async function checkpointFaults(database: Database, keyFile: string): Promise<string[]> {
  const state = await stateOf(database);
  const entries = await entriesOf(database);
  return [
    ...state.checkpoints.flatMap(incomplete),
    ...againstService(state, entries),
    ...againstJournal(state, entries),
    ...(await againstRuns(database, state, entries)),
    ...(await strangeVectors(database, state)),
    ...(await journalFaults(database, keyFile)),
  ];
}

/** A process serves one embedder as a whole: that of the row. */
export function servingFaults({ activeId, checkpoints }: EmbedderState, serving: Serving): string[] {
  const active = checkpoints.find(({ id }) => id === activeId);
  const name = active?.name ?? new LocalEmbedder().name;
  const is = `serves ${serving.name} of ${serving.checkpointId ?? CONFIGURED}`;
  return [
    ...(serving.checkpointId === activeId && serving.name === name ? [] : [`the row names ${name}; a process ${is}`]),
    ...(serving.fits && (!active || serving.dimensions === active.dimensions) ? [] : [`a process ${is}, not whole`]),
  ];
}

function incomplete({ id, name, model, modelSha256, dimensions, deletedAt }: CheckpointRow): string[] {
  if ((deletedAt === null) !== (model !== null)) return [`checkpoint ${id} is neither whole nor deleted`];
  if (model === null) return [];
  if (sha256(model) !== modelSha256) return [`the model of checkpoint ${id} has other bytes`];
  return LatentModel.read(model).dimensions === dimensions ? [] : [`checkpoint ${name} has other dimensions`];
}

/** The entries about switches are a chain that ends in what is in service. */
function againstService({ activeId, checkpoints }: EmbedderState, entries: readonly Entry[]): string[] {
  const faults: string[] = [];
  let served = CONFIGURED;
  for (const { action, subject, data } of entries) {
    if (action !== 'memory.checkpoint_deployed' && action !== 'memory.checkpoint_rolled_back') continue;
    if (data.replaced !== served) faults.push(`the journal replaces ${data.replaced}, ${served} was in service`);
    served = subject;
  }
  const inService = activeId ?? CONFIGURED;
  if (served !== inService) faults.push(`${inService} is in service, ${served} by the journal`);
  const active = checkpoints.find(({ id }) => id === activeId);
  if (activeId !== null && active?.model == null) faults.push(`${activeId} is in service and has no model`);
  return faults;
}

function againstJournal({ checkpoints }: EmbedderState, entries: readonly Entry[]): string[] {
  const subjects = (of: (entry: Entry) => boolean): string =>
    entries
      .filter(of)
      .map(({ subject }) => subject)
      .sort()
      .join();
  const ids = (of: (row: CheckpointRow) => boolean): string =>
    checkpoints
      .filter(of)
      .map(({ id }) => id)
      .sort()
      .join();
  const deletions = subjects(({ data }) => data.operation === 'embedder.delete');
  const byAdmin = subjects(({ data }) => data.operation === 'embedder.rollback');
  const rolledBack = subjects(({ action }) => action === 'memory.checkpoint_rolled_back');
  return [
    ...(deletions === ids(({ deletedAt }) => deletedAt !== null) ? [] : ['deletions differ from the journal']),
    ...(byAdmin === rolledBack ? [] : ['a rollback has one of its two entries']),
    ...(subjects(({ action }) => action === 'memory.checkpoint_created') === ids(() => true)
      ? []
      : ['checkpoints differ from the journal']),
  ];
}

async function againstRuns(
  database: Database,
  { checkpoints }: EmbedderState,
  entries: readonly Entry[],
): Promise<string[]> {
  const runs = await database.client.tuningRun.findMany({ omit: { saved: true } });
  const active = runs.filter(({ state }) => state === 'queued' || state === 'running');
  const named = (action: string): string =>
    entries
      .filter((entry) => entry.action === action)
      .map(({ subject }) => subject)
      .sort()
      .join();
  const idsOf = (some: readonly { id: string }[]): string =>
    some
      .map(({ id }) => id)
      .sort()
      .join();
  const made = runs
    .flatMap(({ checkpointId }) => checkpointId ?? [])
    .sort()
    .join();
  return [
    ...(active.length > 1 ? ['several runs are active'] : []),
    ...(named('memory.tuning_started') === idsOf(runs) ? [] : ['runs differ from the journal']),
    ...(named('memory.tuning_completed') === idsOf(runs.filter(({ state }) => state === 'completed'))
      ? []
      : ['completed runs differ from the journal']),
    ...runs.flatMap(({ id, state, failure }) =>
      state === 'failed' && failure !== SERVED_CHANGED ? [`run ${id} failed: ${failure}`] : [],
    ),
    ...(made === idsOf(checkpoints) ? [] : ['runs and checkpoints do not name each other']),
  ];
}

/** Each stored vector has the size of the embedder that it names. */
async function strangeVectors(database: Database, { checkpoints }: EmbedderState): Promise<string[]> {
  const sizes = new Map(checkpoints.map(({ name, dimensions }) => [name, dimensions]));
  const rows = await database.client.$queryRaw<{ embedder: string; bytes: number }[]>`
    SELECT DISTINCT "embedder", octet_length("vector") AS "bytes" FROM "memory_vector"`;
  return rows.flatMap(({ embedder, bytes }) => {
    const dimensions = embedder === new LocalEmbedder().name ? 512 : sizes.get(embedder);
    return bytes === (dimensions ?? 0) * 4 ? [] : [`a vector of ${embedder} has ${bytes} bytes`];
  });
}

async function entriesOf(database: Database): Promise<Entry[]> {
  const rows = await database.client.$queryRaw<{ action: string; subject: string; data: string }[]>`
    SELECT "action", "subject_id" AS "subject", "data" FROM "journal_entry" ORDER BY "seq"`;
  return rows.map(({ data, ...entry }) => ({ ...entry, data: JSON.parse(data) }));
}
