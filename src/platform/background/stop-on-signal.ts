const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
export type StopSignal = (typeof SIGNALS)[number];

/**
 * Resolves with the first SIGTERM or SIGINT that this process receives. Later ones are ignored: on Ctrl-C the terminal
 * sends one signal and npm forwards another.
 */
export function waitForSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve(signal));
  });
}

/** Ends this process by the signal itself, so that the shell sees the exit status 128 plus the signal number. */
export function exitBySignal(signal: StopSignal): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

interface StopOptions {
  /** How long closing may take: a call of a model or a git that hangs must not keep the process. */
  readonly limitMs?: number;
  /** What is still open, for the log. */
  left?(): Promise<string>;
}

/** Below the 30 seconds that Kubernetes, and the 90 that systemd waits before they kill a process. */
const LIMIT_MS = 20_000;

/** Closes within the limit. Returns what was left at its end; undefined if everything was closed. */
export async function closeWithin(close: () => Promise<void>, options: StopOptions = {}): Promise<string | undefined> {
  const { limitMs = LIMIT_MS, left = async () => 'background work' } = options;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'limit'>((resolve) => {
    timer = setTimeout(() => resolve('limit'), limitMs);
  });
  try {
    return (await Promise.race([close(), limit])) === 'limit' ? await left() : undefined;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits for a signal, closes, and ends by the same signal. Logs each step. After the limit it ends anyway: what was
 * answered is stored, and what was not is done by the next start. Exits with status 1 if closing fails.
 */
export async function closeOnSignal(
  close: () => Promise<void>,
  log: { log(message: string): void; error(message: string): void },
  options: StopOptions = {},
): Promise<void> {
  const signal = await waitForSignal();
  log.log(`stopping: ${signal}`);
  try {
    const left = await closeWithin(close, options);
    if (left === undefined) log.log('stopped');
    else log.error(`stopped after ${(options.limitMs ?? LIMIT_MS) / 1_000} seconds, and left: ${left}`);
  } catch (error) {
    log.error(`shutdown failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exit(1);
  }
  exitBySignal(signal);
}
