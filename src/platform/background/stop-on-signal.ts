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

/** Waits for a signal, closes, and ends by the same signal. Logs each step. Exits with status 1 if closing fails. */
export async function closeOnSignal(
  close: () => Promise<void>,
  log: { log(message: string): void; error(message: string): void },
): Promise<void> {
  const signal = await waitForSignal();
  log.log(`stopping: ${signal}`);
  try {
    await close();
  } catch (error) {
    log.error(`shutdown failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exit(1);
  }
  log.log('stopped');
  exitBySignal(signal);
}
