#!/usr/bin/env node
/**
 * Replaces Prisma's native schema engine, which is not on npm and is downloaded from another host. The CLI starts this
 * script and speaks JSON-RPC over stdin and stdout, one message per line. @prisma/schema-engine-wasm has methods of the
 * same names, which do the work. Databases: see schema-engine/databases.mjs.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { openDatabases } from './schema-engine/databases.mjs';
import { loadEngine } from './schema-engine/wasm.mjs';

const args = process.argv.slice(2);
const wasm = await loadEngine();

if (args[0] === '--version') {
  console.log(`schema-engine-wasm ${wasm.version()}`);
  process.exit(0);
}

const databases = openDatabases(databaseUrl());
if (args.includes('cli')) process.exit(await runCliCommand(args[args.indexOf('cli') + 1]));

/** Created at the first request, because the engine connects when it is created. */
let engine;
const input = createInterface({ input: process.stdin });
for await (const line of input) {
  if (line.trim() === '') continue;
  const request = JSON.parse(line);
  // A message without a method is the CLI's reply to our `print`.
  if (request.method) await answer(request);
}
await databases.close();
process.exit(0);

async function answer({ id, method, params }) {
  try {
    engine ??= await newEngine();
    const result = await call(method, params);
    if (method === 'diff' && result?.stdout != null)
      send({ method: 'print', params: { content: result.stdout }, id: 1_000_000 + (id ?? 0) });
    send({ result: result ?? null, id });
  } catch (error) {
    const panic = wasm.lastPanic();
    const data = {
      is_panic: panic !== '',
      message: panic || error?.message || String(error),
      meta: error?.meta ?? null,
      error_code: error?.code ?? null,
    };
    send({ error: { code: 4466, message: 'schema engine error', data }, id });
  }
}

async function call(method, params) {
  // The WASM engine gives these two no shadow database. They use the schema that devDiagnostic leaves in its cache.
  if (method === 'evaluateDataLoss' || method === 'createMigration')
    await engine.devDiagnostic({ migrationsList: params.migrationsList, filters: params.filters });
  return engine[method](params);
}

function newEngine() {
  const datamodels = optionValues('--datamodels').map((path) => [path, readFileSync(path, 'utf8')]);
  return wasm.SchemaEngine.new(
    datamodels.length > 0 ? { datamodels } : {},
    () => {},
    bindMigrationAwareSqlAdapterFactory(databases.factory),
  );
}

/** Handles `schema-engine … cli can-connect-to-database` and `… cli create-database`. Returns the exit code. */
async function runCliCommand(command) {
  const problem = command === 'create-database' ? await databases.create() : await databases.probe();
  if (problem === undefined) {
    console.log(command === 'create-database' ? 'Database created' : 'Connection successful');
    return 0;
  }
  const fields = { is_panic: false, ...problem };
  // The CLI drops the first line of stderr and looks for this target in the lines after it.
  console.error('Schema engine');
  const entry = { timestamp: new Date().toISOString(), level: 'ERROR', fields, target: 'schema_engine::logger' };
  process.stderr.write(JSON.stringify(entry));
  return 1;
}

/** Returns undefined for the embedded database. */
function databaseUrl() {
  if (!process.env.DATABASE_URL) return undefined;
  const [datasource] = optionValues('--datasource');
  return datasource === undefined ? process.env.DATABASE_URL : (JSON.parse(datasource).url ?? process.env.DATABASE_URL);
}

function optionValues(name) {
  const start = args.indexOf(name);
  if (start < 0) return [];
  const rest = args.slice(start + 1);
  const end = rest.findIndex((value) => value.startsWith('--'));
  return end < 0 ? rest : rest.slice(0, end);
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
