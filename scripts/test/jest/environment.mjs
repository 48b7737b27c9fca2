import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Jest's settings of a file. A spec may set them for the whole process without restoring them. */
const SETTINGS = [
  'TEST_TIMEOUT_SYMBOL',
  'RETRY_TIMES',
  'RETRY_TIMES_SETTER',
  'RETRY_IMMEDIATELY',
  'WAIT_BEFORE_RETRY',
  'LOG_ERRORS_BEFORE_RETRY',
].map((name) => Symbol.for(name));

/** Runs specs in the process itself, without a sandbox, so that they share Node's modules. Restores what a spec changed. */
export default class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  #before = {
    console: globalThis.console,
    exit: process.exit,
    exitCode: process.exitCode,
    env: { ...process.env },
    directory: process.cwd(),
  };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Jest wraps process.exit for each file; without this, the wrappers would accumulate.
    process.exit = this.#before.exit;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    const { console, exitCode, env, directory } = this.#before;
    globalThis.console = console;
    process.exitCode = exitCode;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.chdir(directory);
    for (const setting of SETTINGS) delete globalThis[setting];
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
