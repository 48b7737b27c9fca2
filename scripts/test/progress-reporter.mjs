const EVERY_MS = 15_000;
/** So many milliseconds of estimated work for each worker count as right before the first measured ones outweigh them. */
const TRUSTED_MS = 30_000;

/** Prints the progress of a run, also without a terminal: "12 of 313 spec files, about 4 minutes left". */
export default class ProgressReporter {
  #workers;
  #all = 0;
  #done = 0;
  /** Expected milliseconds of all files together; `jest/order.mjs` sets the estimate of each. */
  #work = 0;
  #finished = { took: 0, expected: 0 };
  /** When each running file started, and its estimate, by path. */
  #running = new Map();
  #timer;

  constructor({ maxWorkers }) {
    this.#workers = maxWorkers;
  }

  onRunStart({ numTotalTestSuites }, { estimatedTime }) {
    this.#all = numTotalTestSuites;
    this.#workers = Math.max(1, Math.min(this.#workers, numTotalTestSuites));
    this.#work = estimatedTime * 1000 * this.#workers;
    this.#timer = setInterval(() => this.#print(), EVERY_MS).unref();
  }

  onTestFileStart({ path, duration }) {
    this.#running.set(path, { at: performance.now(), expected: duration ?? 0 });
  }

  onTestFileResult({ path }) {
    this.#done += 1;
    const { at, expected } = this.#running.get(path) ?? { at: performance.now(), expected: 0 };
    this.#running.delete(path);
    this.#finished.took += performance.now() - at;
    this.#finished.expected += expected;
  }

  onRunComplete() {
    clearInterval(this.#timer);
  }

  #print() {
    const running = [...this.#running.values()].map(({ at, expected }) => {
      return { took: performance.now() - at, expected };
    });
    const begun = running.reduce((sum, { expected }) => sum + expected, this.#finished.expected);
    const waiting = Math.max(0, this.#work - begun);
    const left = timeLeft({ finished: this.#finished, running, waiting, workers: this.#workers });
    process.stderr.write(`${this.#done} of ${this.#all} spec files, ${formatTimeLeft(left)}\n`);
  }
}

/**
 * Returns the milliseconds that a run still takes. Files have `took` and `expected` milliseconds; `waiting` is what those
 * that have not started are expected to take. The pace, real per expected time, starts at 1 and follows what was measured:
 * the finished files, and those that already run longer than the pace so far allows.
 */
export function timeLeft({ finished, running, waiting, workers }) {
  const trusted = TRUSTED_MS * workers;
  const pace = running
    .toSorted((a, b) => b.took / (b.expected || 1) - a.took / (a.expected || 1))
    .reduce(
      (so, { took, expected }) => (took > expected * so.pace ? withMeasured(so, took, expected) : so),
      withMeasured({ took: trusted, expected: trusted }, finished.took, finished.expected),
    ).pace;
  const rests = running.map(({ took, expected }) => Math.max(0, expected * pace - took));
  const work = rests.reduce((sum, rest) => sum + rest, waiting * pace);
  return Math.max(work / workers, ...rests);
}

function withMeasured(so, took, expected) {
  const [all, ofThem] = [so.took + took, so.expected + expected];
  return { took: all, expected: ofThem, pace: all / ofThem };
}

export function formatTimeLeft(milliseconds) {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 1) return 'less than a minute left';
  return `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left`;
}
