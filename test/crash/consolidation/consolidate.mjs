/**
 * A process of the built program that consolidates the database of its environment, without HTTP, because it starts in a
 * fifth of the server's time. Each line that it reads is a run in JSON, `{ agentId?, aheadMs, killBefore? }`; it opens the
 * database at the first. It says `running` when the run begins and `ended {…}` after it. `killBefore` is the number of the
 * statement before which the process kills itself.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import pg from 'pg';

const built = (file) => import(`../../../dist/${file}.js`);
const { ConsolidateModule } = await built('consolidate/consolidate.module');
const { Consolidation } = await built('consolidate/runs/consolidation.service');
const { JournalModule } = await built('journal/journal.module');
const { jobActor } = await built('journal/actor');
const { loadConfig } = await built('platform/config/config');
const { Database } = await built('platform/database/database');
const { MIGRATIONS } = await built('platform/database/migrate');
const { PlatformModule } = await built('platform/platform.module');

const say = (line) => writeSync(1, `${line}\n`);

let statements = 0;
let killBefore = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  statements += 1;
  if (statements === killBefore) process.kill(process.pid, 'SIGKILL');
  return query.apply(this, args);
};

// Ahead of the time: the lease of a killed run expires without a wait of ten minutes.
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

async function open() {
  const config = loadConfig();
  const { databaseUrl, dataDir } = config;
  const database = await Database.open({
    ...(databaseUrl ? { url: databaseUrl } : { dataDir }),
    migrationsDir: MIGRATIONS,
  });
  class Program {}
  const platform = PlatformModule.with(config, database, clock);
  Module({ imports: [ScheduleModule.forRoot(), platform, JournalModule, ConsolidateModule] })(Program);
  return NestFactory.createApplicationContext(Program, { logger: ['error'] });
}

let program;
for await (const line of createInterface({ input: process.stdin })) {
  program ??= await open();
  const { agentId, ...order } = JSON.parse(line);
  aheadMs = order.aheadMs;
  statements = 0;
  killBefore = order.killBefore ?? 0;
  const run = { ...(agentId ? { agentId } : {}), dryRun: false };
  say('running');
  const began = performance.now();
  try {
    const { items, busy } = await program.get(Consolidation, { strict: false }).run(jobActor('crash harness'), run);
    const failed = items.filter(({ state }) => state !== 'completed').map(({ failure }) => failure);
    const ms = performance.now() - began;
    say(`ended ${JSON.stringify({ runs: items.length, failed, busy: busy.length, statements, ms })}`);
  } catch (error) {
    say(`ended ${JSON.stringify({ refused: error.code ?? String(error) })}`);
  }
}
await program?.close();
