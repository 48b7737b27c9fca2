/**
 * A process of the built program that tunes and switches the embedder of the database of its environment, without HTTP.
 * Each line that it reads is an order in JSON, `{ op, target?, seed, aheadMs, killBefore? }`. It opens the database at the first
 * and says `serving {…}`: what it serves before the order. It says `running` when the order begins, and `ended {…}` after
 * it. `killBefore` is the number of the statement before which it kills itself. CRASH_DIST is the folder of the program.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import pg from 'pg';

const built = (file) => import(pathToFileURL(join(process.env.CRASH_DIST, `${file}.js`)));
const { JournalModule } = await built('journal/journal.module');
const { loadConfig } = await built('platform/config/config');
const { Database } = await built('platform/database/database');
const { MIGRATIONS } = await built('platform/database/migrate');
const { PlatformModule } = await built('platform/platform.module');
const { EMBEDDER, MemoryVectors } = await built('recall/index/memory-vectors.service');
const { EmbedderSwitch } = await built('tuning/checkpoints/embedder-switch.service');
const { TuningPlan } = await built('tuning/checkpoints/tuning.schema');
const { MemoryService } = await built('tuning/runs/memory.service');
const { TuningRunner } = await built('tuning/runs/tuning-runner.service');
const { TuningModule } = await built('tuning/tuning.module');

const say = (line) => writeSync(1, `${line}\n`);

let statements = 0;
let killBefore = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  statements += 1;
  if (statements === killBefore) process.kill(process.pid, 'SIGKILL');
  return query.apply(this, args);
};

// Ahead of the time: the lease of a killed run expires without a wait.
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

async function open() {
  const config = loadConfig(undefined, { tuningCoreShare: 1, tuningSaveSeconds: 0.1 });
  const { databaseUrl, dataDir } = config;
  const database = await Database.open({
    ...(databaseUrl ? { url: databaseUrl } : { dataDir }),
    migrationsDir: MIGRATIONS,
  });
  class Program {}
  const platform = PlatformModule.with(config, database, clock);
  Module({ imports: [ScheduleModule.forRoot(), platform, JournalModule, TuningModule] })(Program);
  return NestFactory.createApplicationContext(Program, { logger: ['error'] });
}

const actor = { kind: 'admin', id: '00000000-0000-4000-8000-00000000ad31', name: 'Crash harness' };
const guard = { confirm: true, reason: 'The crash harness says so.' };
let program;
const get = (token) => program.get(token, { strict: false });

/** What answers queries: its name, its checkpoint, and whether a query fits the vectors that it would meet. */
async function serving() {
  const { embedder, checkpointId } = get(EMBEDDER).current;
  const [[stored], [asked]] = [
    await embedder.embed(['a report']),
    await (embedder.embedQueries?.(['a']) ?? embedder.embed(['a'])),
  ];
  return { checkpointId, name: embedder.name, dimensions: stored.length, fits: stored.length === asked.length };
}

async function run(_target, seed) {
  const memory = get(MemoryService);
  const { active } = await memory.status();
  if (!active) await memory.start(actor, TuningPlan.parse({ sourceDir: 'topics', seed, outputDir: 'made' }));
  get(TuningRunner).wake();
  await get(TuningRunner).idle();
  return { run: (await memory.status()).run };
}

async function rollback(target) {
  const result = await get(MemoryService).rollback(actor, target, guard);
  await get(MemoryVectors).idle();
  await get(EmbedderSwitch).follow();
  return result;
}

const OPERATIONS = {
  run,
  rollback,
  delete: (target) => get(MemoryService).deleteCheckpoint(actor, target, guard),
};

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  aheadMs = order.aheadMs;
  program ??= await open();
  say(`serving ${JSON.stringify(await serving())}`);
  statements = 0;
  killBefore = order.killBefore ?? 0;
  say('running');
  const began = performance.now();
  try {
    if (order.op !== 'look') await OPERATIONS[order.op](order.target, order.seed);
    say(`ended ${JSON.stringify({ statements, ms: performance.now() - began, serving: await serving() })}`);
  } catch (error) {
    say(`ended ${JSON.stringify({ refused: error.code ?? String(error) })}`);
  }
}
await program?.close();
