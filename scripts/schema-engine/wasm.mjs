import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Loads @prisma/schema-engine-wasm in Node; the package is built for bundlers. Its version must contain the engine hash
 * that `prisma --version` prints.
 */
export async function loadEngine() {
  let panic = '';
  // The Rust side reports a panic here before it ends; without the registry it ends without a message.
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    set_message: (message) => {
      panic = message;
    },
  };
  const glueFile = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const glue = await import(glueFile);
  const { instance } = await WebAssembly.instantiate(readFileSync(join(dirname(glueFile), 'schema_engine_bg.wasm')), {
    './schema_engine_bg.js': glue,
  });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start?.();
  return { SchemaEngine: glue.SchemaEngine, version: glue.version, lastPanic: () => panic };
}
