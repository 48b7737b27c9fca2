import { DAY_MS } from '../../platform/base/durations.js';
import type { ReadinessProblem } from '../../platform/http/readiness.service.js';
import type { RepositoryFinding } from './remote.schema.js';

/** A file that was taken away, which a person should know about. */
interface RemovedFile {
  readonly path: string;
  readonly problem: string;
  readonly at: number;
}

/** As long as a person who looks once a day needs to see it. The journal has it for ever. */
const SHOWN_MS = DAY_MS;
const MAX_SHOWN = 100;
const STALLED: ReadinessProblem = {
  code: 'skills.reconciler_stalled',
  message: 'The skills repository cannot be compared with the decisions. GET /v1/repository says why.',
};

/** What the runs of the reconciler left to be shown: whether the last one ended well, and the files that were removed. */
export class ReconcilerRuns {
  #startedAt: number | undefined;
  #failure: string | undefined;
  #removed: readonly RemovedFile[] = [];

  constructor(private readonly longestMs: number) {}

  started(now: number): void {
    this.#startedAt ??= now;
  }

  succeeded(): void {
    this.#startedAt = undefined;
    this.#failure = undefined;
  }

  /** `reason` is redacted. */
  failed(reason: string): void {
    this.#startedAt = undefined;
    this.#failure = reason;
  }

  removed(path: string, problem: string, at: number): void {
    const others = this.#removed.filter((one) => one.path !== path && at - one.at < SHOWN_MS);
    this.#removed = [...others, { path, problem, at }].slice(-MAX_SHOWN);
  }

  findings(now: number): RepositoryFinding[] {
    const reason = this.#reason(now);
    const stalled = { kind: 'reconciler-stalled', subject: 'the repository', proposalId: null };
    const removed = this.#removed
      .filter(({ at }) => now - at < SHOWN_MS)
      .map(({ path, problem }) => ({ kind: 'removed-file', subject: path, proposalId: null, problem }));
    return [...(reason === undefined ? [] : [{ ...stalled, problem: reason }]), ...removed];
  }

  problems(now: number): ReadinessProblem[] {
    return this.#reason(now) === undefined ? [] : [STALLED];
  }

  #reason(now: number): string | undefined {
    const isLate = this.#startedAt !== undefined && now - this.#startedAt > this.longestMs;
    return this.#failure ?? (isLate ? 'the comparison of git with the decisions has not ended' : undefined);
  }
}
