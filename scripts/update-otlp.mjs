#!/usr/bin/env node
/**
 * node scripts/update-otlp.mjs --from FOLDER   a checkout of open-telemetry/opentelemetry-proto; needs `protoc`
 *
 * Writes src/platform/otlp/generated: the messages of OTLP traces and logs, and of the errors in its answers, as code for
 * @bufbuild/protobuf. Do not edit these files manually.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const PROTO = 'opentelemetry/proto';
const FILES = [
  'common/v1/common.proto',
  'resource/v1/resource.proto',
  'trace/v1/trace.proto',
  'logs/v1/logs.proto',
  'collector/trace/v1/trace_service.proto',
  'collector/logs/v1/logs_service.proto',
].map((file) => `${PROTO}/${file}`);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HOME = join(ROOT, 'src/platform/otlp');
const PLUGIN = join(ROOT, 'node_modules/.bin/protoc-gen-es');

const { from } = parseArgs({ options: { from: { type: 'string' } } }).values;
if (!from) throw new Error('name the checkout: --from FOLDER');

const work = mkdtempSync(join(tmpdir(), 'otlp-'));
try {
  for (const file of FILES) copyWithoutComments(join(from, file), join(work, file));
  copyFileSync(join(ROOT, 'scripts/otlp/rpc-status.proto'), join(work, 'rpc-status.proto'));
  const generated = join(HOME, 'generated');
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated);
  const options = ['--es_opt=target=ts', '--es_opt=import_extension=js'];
  execFileSync(
    'protoc',
    [`--plugin=${PLUGIN}`, `-I${work}`, `--es_out=${generated}`, ...options, 'rpc-status.proto', ...FILES],
    { stdio: 'inherit' },
  );
  copyFileSync(join(from, 'LICENSE'), join(generated, 'LICENSE'));
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The comments are longer than the code that is generated with them. */
function copyWithoutComments(source, target) {
  mkdirSync(dirname(target), { recursive: true });
  const lines = readFileSync(source, 'utf8').split('\n');
  writeFileSync(target, lines.filter((line) => !/^\s*\/\//.test(line)).join('\n'));
}
