import type { Training, TrainingProgress, TrainingResult } from './training-contract.js';

/** Runs the work of a training step by step. */
export class StagedTraining implements Training {
  private current: TrainingProgress = { stage: 'split', done: 0, total: 1 };
  private outcome: TrainingResult | undefined;

  constructor(
    private readonly work: Generator<TrainingProgress, TrainingResult>,
    private readonly checkpoint: () => Uint8Array,
  ) {}

  get progress(): TrainingProgress {
    return this.current;
  }

  step(): boolean {
    if (this.outcome) return false;
    const { done, value } = this.work.next();
    if (done) {
      this.outcome = value;
      this.current = { stage: 'done', done: 1, total: 1 };
    } else this.current = value;
    return this.outcome === undefined;
  }

  save(): Uint8Array {
    return this.checkpoint();
  }

  result(): TrainingResult {
    if (!this.outcome) throw new Error('the training has steps left');
    return this.outcome;
  }
}

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
