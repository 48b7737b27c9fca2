import { exitBySignal, type StopSignal } from '../../platform/background/stop-on-signal.js';
import { commandProcess } from './command-process.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** On Ctrl-C the terminal sends one signal and npm forwards another; a person needs longer for a second one. */
const AGAIN_AFTER_MS = 1_000;

/** Lets a long command end at a safe point after a signal. A second signal ends it at once. */
export class Interruption {
  signal: StopSignal | undefined;
  private at = 0;
  private readonly process = commandProcess();
  private readonly onSignal = (signal: StopSignal): void => {
    if (this.signal === undefined) {
      this.signal = signal;
      this.at = performance.now();
    } else if (performance.now() - this.at > AGAIN_AFTER_MS) this.finish();
  };

  /** From now on a signal is noted. */
  watch(): void {
    for (const signal of SIGNALS) this.process.on(signal, this.onSignal);
  }

  /** From now on a signal ends the program, as it must while long work leaves no time to look at it. */
  ignore(): void {
    for (const signal of SIGNALS) this.process.off(signal, this.onSignal);
  }

  /** Ends the program if there was a signal, so that the shell sees it. */
  finish(): void {
    this.ignore();
    if (this.signal !== undefined) exitBySignal(this.signal);
  }
}
