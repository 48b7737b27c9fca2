const EVERY_MS = 15_000;
/** With fewer finished files, a single one would decide the estimate. */
const FILES_FOR_PACE = 6;

/** Prints the progress of a run, also without a terminal: "12 of 313 spec files, about 4 minutes left". */
export default class ProgressReporter {
  #workers;
  #all = 0;
  #done = 0;
  /** Expected milliseconds of all files together; `jest/order.mjs` sets the estimate of each. */
  #work = 0;
  #workDone = 0;
  #started = performance.now();
  #timer;

  constructor({ maxWorkers }) {
    this.#workers = maxWorkers;
  }

  onRunStart({ numTotalTestSuites }, { estimatedTime }) {
    this.#all = numTotalTestSuites;
    this.#work = estimatedTime * 1000 * Math.min(this.#workers, numTotalTestSuites);
    this.#timer = setInterval(() => this.#print(), EVERY_MS).unref();
  }

  onTestFileResult(test) {
    this.#done += 1;
    this.#workDone += test.duration ?? 0;
  }

  onRunComplete() {
    clearInterval(this.#timer);
  }

  #print() {
    const left = timeLeft({
      elapsed: performance.now() - this.#started,
      work: this.#work / this.#workers,
      done: this.#done < FILES_FOR_PACE ? 0 : this.#workDone / this.#workers,
    });
    process.stderr.write(`${this.#done} of ${this.#all} spec files, ${formatTimeLeft(left)}\n`);
  }
}

/** Remaining milliseconds at the pace so far; the whole estimate before the first result. */
export function timeLeft({ elapsed, work, done }) {
  if (done === 0) return work;
  return Math.max(0, work - done) * (elapsed / done);
}

export function formatTimeLeft(milliseconds) {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 1) return 'less than a minute left';
  return `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left`;
}
