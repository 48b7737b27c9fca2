const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
export type StopSignal = (typeof SIGNALS)[number];

/**
 * The first SIGTERM or SIGINT that reaches this process. Later ones change nothing: on Ctrl-C the terminal sends one, and
 * npm passes another on.
 */
export function waitForSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve(signal));
  });
}

/** Ends this process as the signal would have: the shell sees 128 and the number of the signal. */
export function exitBySignal(signal: StopSignal): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** On a signal says so, closes, says that it is done, and ends as the signal asks. Ends with 1 when closing fails. */
export async function closeOnSignal(
  close: () => Promise<void>,
  log: { log(message: string): void; error(message: string): void },
): Promise<void> {
  const signal = await waitForSignal();
  log.log(`stopping: ${signal}`);
  try {
    await close();
  } catch (error) {
    log.error(`cannot stop in order: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exit(1);
  }
  log.log('stopped');
  exitBySignal(signal);
}
