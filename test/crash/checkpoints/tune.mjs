/**
 * A process of the built program that tunes and switches the embedder of the database of its environment, without HTTP. An
 * order is `{ op, target?, seed, aheadMs, killBefore? }`. Before each it says `serving {…}`: what it serves then.
 */
import { built, takeOrders } from '../killed-program.mjs';

const { EMBEDDER, MemoryVectors } = await built('recall/index/memory-vectors.service');
const { EmbedderSwitch } = await built('tuning/checkpoints/embedder-switch.service');
const { TuningPlan } = await built('tuning/checkpoints/tuning.schema');
const { MemoryService } = await built('tuning/runs/memory.service');
const { TuningRunner } = await built('tuning/runs/tuning-runner.service');
const { TuningModule } = await built('tuning/tuning.module');

const actor = { kind: 'admin', id: '00000000-0000-4000-8000-00000000ad31', name: 'Crash harness' };
const guard = { confirm: true, reason: 'The crash harness says so.' };

/** What answers queries: its name, its checkpoint, and whether a query fits the vectors that it would meet. */
async function serving(get) {
  const { embedder, checkpointId } = get(EMBEDDER).current;
  const [[stored], [asked]] = [await embedder.embed(['a report']), await embedder.embed(['a'])];
  return { checkpointId, name: embedder.name, dimensions: stored.length, fits: stored.length === asked.length };
}

async function run(get, { seed }) {
  const memory = get(MemoryService);
  const { active } = await memory.status();
  if (!active) await memory.start(actor, TuningPlan.parse({ sourceDir: 'topics', seed, outputDir: 'made' }));
  get(TuningRunner).wake();
  await get(TuningRunner).idle();
  return { run: (await memory.status()).run };
}

async function rollback(get, { target }) {
  const result = await get(MemoryService).rollback(actor, target, guard);
  await get(MemoryVectors).idle();
  await get(EmbedderSwitch).follow();
  return result;
}

const OPERATIONS = {
  run,
  rollback,
  delete: (get, { target }) => get(MemoryService).deleteCheckpoint(actor, target, guard),
};

await takeOrders(TuningModule, {
  constants: { tuningCoreShare: 1 },
  before: async (get) => `serving ${JSON.stringify(await serving(get))}`,
  async execute(get, order) {
    if (order.op !== 'look') await OPERATIONS[order.op](get, order);
    return { serving: await serving(get) };
  },
});
