import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** What a spec may change for the whole process without putting it back: Jest's own settings of a file. */
const SETTINGS = [
  'TEST_TIMEOUT_SYMBOL',
  'RETRY_TIMES',
  'RETRY_TIMES_SETTER',
  'RETRY_IMMEDIATELY',
  'WAIT_BEFORE_RETRY',
  'LOG_ERRORS_BEFORE_RETRY',
].map((name) => Symbol.for(name));

/** The process itself, without a sandbox: specs run where Node's modules are. Puts back what a spec changed there. */
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
    // Jest has wrapped it; a wrapper around the process's own would stay, one for each file.
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
