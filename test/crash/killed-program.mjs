/**
 * What the programs have in common that the crash harness kills: the built modules, the statement before which the process
 * kills itself, and a clock ahead of the time, so that the lease of a killed run expires without a wait. CRASH_DIST is the
 * folder of the built program, `dist` by default.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import pg from 'pg';

const DIST = process.env.CRASH_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
export const built = (file) => import(pathToFileURL(join(DIST, `${file}.js`)));
const { JournalModule } = await built('journal/journal.module');
const { loadConfig } = await built('platform/config/config');
const { Database } = await built('platform/database/database');
const { MIGRATIONS } = await built('platform/database/migrate');
const { PlatformModule } = await built('platform/platform.module');

export const say = (line) => writeSync(1, `${line}\n`);

let statements = 0;
let killBefore = 0;
let aheadMs = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  statements += 1;
  if (statements === killBefore) process.kill(process.pid, 'SIGKILL');
  return query.apply(this, args);
};

async function open(module, constants) {
  const config = loadConfig(undefined, constants);
  const { databaseUrl, dataDir } = config;
  const database = await Database.open({
    ...(databaseUrl ? { url: databaseUrl } : { dataDir }),
    migrationsDir: MIGRATIONS,
  });
  class Program {}
  const platform = PlatformModule.with(config, database, 'crash', { now: () => new Date(Date.now() + aheadMs) });
  Module({ imports: [ScheduleModule.forRoot(), platform, JournalModule, module] })(Program);
  return NestFactory.createApplicationContext(Program, { logger: ['error'] });
}

/**
 * Does the orders of standard input, `{ aheadMs, killBefore?, … }` a line, with the services of `module`: says what `before`
 * returns, `running`, and `ended {…}` with what `execute` returns, or with the code of its error.
 */
export async function takeOrders(module, { constants, before, execute }) {
  let program;
  const get = (token) => program.get(token, { strict: false });
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line);
    aheadMs = order.aheadMs;
    program ??= await open(module, constants);
    const ready = await before?.(get);
    if (ready !== undefined) say(ready);
    statements = 0;
    killBefore = order.killBefore ?? 0;
    say('running');
    const began = performance.now();
    try {
      const result = await execute(get, order);
      say(`ended ${JSON.stringify({ ...result, statements, ms: performance.now() - began })}`);
    } catch (error) {
      say(`ended ${JSON.stringify({ refused: error.code ?? String(error) })}`);
    }
  }
  await program?.close();
}
