const asyncHooks = require('node:async_hooks');
const { register, syncBuiltinESMExports } = require('node:module');
const { pathToFileURL } = require('node:url');
const threads = require('node:worker_threads');
const { default: Runtime } = require('jest-runtime');

/** Jest's list of event handlers, and the test tree of a file. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');
const TREE = 'JEST_STATE_SYMBOL';

/** The source map file of each loaded file, which Jest uses to map the lines of a stack. */
const sourceMaps = new Map();
/** Asynchronous storages of the framework in the running file. */
const storages = [];

/**
 * A storage that ends with its file. Every promise of a process copies the value of each storage that was ever used and
 * not disabled, so that each file would slow all later ones. What a port or timer keeps of it afterwards is empty: Node
 * keeps the port of each `import()`, and with it the file's tests and their applications.
 */
class EndingStorage extends asyncHooks.AsyncLocalStorage {
  #holders = [];

  constructor(...options) {
    super(...options);
    storages.push(this);
  }

  run(store, ...rest) {
    const holder = { store };
    this.#holders.push(holder);
    return super.run(holder, ...rest);
  }

  getStore() {
    return super.getStore()?.store;
  }

  end() {
    this.disable();
    for (const holder of this.#holders) holder.store = undefined;
  }
}

let ready;
let runs = 0;

/**
 * Jest's runtime with Node's module loader instead of Jest's. All specs of a worker share their imports: Jest would
 * evaluate the application and its libraries again for each spec, which took longer than most specs. A spec must
 * therefore leave no state behind in a module. `environment.mjs` restores the state of the process.
 */
class SharedRuntime extends Runtime {
  constructor(config, environment, ...rest) {
    super(config, environment, ...rest);
    this.specEnvironment = environment;
    this.isWatched = rest.at(-1).watch || rest.at(-1).watchAll;
  }

  /** Loads Jest's framework without a sandbox, with new state for each file. Forgets that of the file before. */
  requireInternalModule(file) {
    const before = require.cache[file];
    delete require.cache[file];
    if (before !== undefined) module.children.splice(module.children.indexOf(before), 1);
    delete globalThis[HANDLERS];
    for (const key of Object.getOwnPropertySymbols(globalThis)) if (key.description === TREE) delete globalThis[key];
    return endingStorages(() => require(file));
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(file) {
    ready ??= start();
    const { follow, cpuSeconds } = await ready;
    follow(this.requireModuleOrMock(file, '@jest/globals'));
    runs += 1;
    // Only in watch mode does one process run a file again.
    const before = cpuSeconds();
    const loaded = await import(`${pathToFileURL(file).href}${this.isWatched ? `?run=${runs}` : ''}`);
    this.specEnvironment.loading += cpuSeconds() - before;
    return loaded;
  }

  getSourceMaps() {
    return sourceMaps;
  }
}

/** Ends the framework's storages of the file before and records those of the next one. */
function endingStorages(load) {
  for (const storage of storages.splice(0)) storage.end();
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = EndingStorage;
  try {
    return load();
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}

async function start() {
  const { port1, port2 } = new threads.MessageChannel();
  port1.on('message', ({ url, mapFile }) => sourceMaps.set(url, mapFile)).unref();
  const base = pathToFileURL(__filename);
  register('./hooks.mjs', base, { data: { port: port2 }, transferList: [port2] });
  giveThreadsHooks();
  return { ...(await import('./globals.mjs')), ...(await import('../spent.mjs')) };
}

/** Threads that the product starts run the sources as well. */
function giveThreadsHooks() {
  const execArgv = ['--import', new URL('./thread.mjs', pathToFileURL(__filename)).href];
  threads.Worker = class extends threads.Worker {
    constructor(file, options = {}) {
      super(file, { ...options, execArgv: [...(options.execArgv ?? []), ...execArgv] });
    }
  };
  syncBuiltinESMExports();
}

module.exports = SharedRuntime;
