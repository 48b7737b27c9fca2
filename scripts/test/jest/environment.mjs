import { relative } from 'node:path';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { ROOT } from '../../setup/stamp.mjs';
import { samplePace } from '../pace.mjs';
import { appendSpent, cpuSeconds } from '../spent.mjs';

/** Jest's settings of a file. A spec may set them for the whole process without restoring them. */
const SETTINGS = [
  'TEST_TIMEOUT_SYMBOL',
  'RETRY_TIMES',
  'RETRY_TIMES_SETTER',
  'RETRY_IMMEDIATELY',
  'WAIT_BEFORE_RETRY',
  'LOG_ERRORS_BEFORE_RETRY',
].map((name) => Symbol.for(name));

/**
 * Runs specs in the process itself, without a sandbox, so that they share Node's modules. Restores what a spec changed.
 * Appends what a spec took to the file in GUILDBOOK_TEST_SPENT, for scripts/test.mjs.
 */
export default class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  /** CPU-seconds for the modules that the spec imports; the runtime adds to it. */
  loading = 0;
  #path;
  #pace;
  #started;
  #before = {
    console: globalThis.console,
    exit: process.exit,
    exitCode: process.exitCode,
    env: { ...process.env },
    directory: process.cwd(),
  };

  constructor({ projectConfig }, { testPath } = {}) {
    this.#path = testPath;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Jest wraps process.exit for each file; without this, the wrappers would accumulate.
    process.exit = this.#before.exit;
    if (process.env.GUILDBOOK_TEST_SPENT !== undefined) this.#pace = samplePace();
    this.#started = { cpu: cpuSeconds(), at: performance.now() };
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
    this.#appendSpent();
  }

  #appendSpent() {
    const target = process.env.GUILDBOOK_TEST_SPENT;
    if (target === undefined || this.#path === undefined) return;
    const { loading } = this;
    const cpu = cpuSeconds() - this.#started.cpu - loading;
    const wall = (performance.now() - this.#started.at) / 1000;
    appendSpent(target, { file: relative(ROOT, this.#path), cpu, wall, loading, pace: this.#pace });
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
