import type { TrainingProgress } from './training-contract.js';

/** Reports a progress after each step of a part of the work. */
export function* during<T>(progress: TrainingProgress, part: Generator<void, T>): Generator<TrainingProgress, T> {
  for (;;) {
    const { done, value } = part.next();
    if (done) return value;
    yield progress;
  }
}

/** Runs a part of the work to its end. */
export function finish<T>(part: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = part.next();
    if (done) return value;
  }
}
