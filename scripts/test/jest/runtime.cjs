const { register } = require('node:module');
const { pathToFileURL } = require('node:url');
const { MessageChannel } = require('node:worker_threads');
const { default: Runtime } = require('jest-runtime');

/** Jest's list of the handlers of its events, and the tree of the tests of a file. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');
const TREE = 'JEST_STATE_SYMBOL';

/** Where the source map of each file is that was loaded; Jest maps the lines of a stack with it. */
const sourceMaps = new Map();
let ready;
let runs = 0;

/**
 * Jest's runtime, with Node's own module loader in the place of Jest's. All specs of a worker share what they import:
 * Jest would evaluate the application and its libraries again for each, which took longer than most specs.
 * A spec therefore must not leave anything behind in a module; `environment.mjs` puts back what belongs to the process.
 */
class SharedRuntime extends Runtime {
  constructor(config, environment, ...rest) {
    super(config, environment, ...rest);
    this.isWatched = rest.at(-1).watch || rest.at(-1).watchAll;
  }

  /** Jest's framework, outside of any sandbox; its state is that of one file. */
  requireInternalModule(file) {
    delete require.cache[file];
    delete globalThis[HANDLERS];
    for (const key of Object.getOwnPropertySymbols(globalThis)) if (key.description === TREE) delete globalThis[key];
    return require(file);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(file) {
    ready ??= start();
    const { follow } = await ready;
    follow(this.requireModuleOrMock(file, '@jest/globals'));
    runs += 1;
    // Watching, the same process runs a file again after a change; otherwise never.
    return import(`${pathToFileURL(file).href}${this.isWatched ? `?run=${runs}` : ''}`);
  }

  getSourceMaps() {
    return sourceMaps;
  }
}

function start() {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', ({ url, mapFile }) => sourceMaps.set(url, mapFile)).unref();
  const base = pathToFileURL(__filename);
  register('./hooks.mjs', base, { data: { port: port2 }, transferList: [port2] });
  return import('./globals.mjs');
}

module.exports = SharedRuntime;
