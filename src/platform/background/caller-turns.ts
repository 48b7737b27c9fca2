import { DomainError } from '../base/domain.errors.js';

const RETRY_AFTER_SECONDS = 1;

interface Lane {
  /** Those at work, those that wait, and those that do not wait in the order yet. */
  open: number;
  active: number;
  readonly waiting: Set<() => void>;
}

export interface Turn {
  /** Resolves when the work may begin. */
  readonly ready: Promise<void>;
  /** Ends the turn, also of work that still waits. Calling it again does nothing. */
  readonly leave: () => void;
}

/**
 * Lets each caller have a few pieces of work at once. More of a caller wait, in their order, so that its requests slow
 * down each other and not those of others.
 */
export class CallerTurns {
  private readonly lanes = new Map<string, Lane>();

  constructor(
    private readonly atOnce: number,
    private readonly mostWaiting: number,
  ) {}

  /**
   * Throws `rate_limited` if too many of this caller wait already. `whenNext` is given what puts the work into the order;
   * without it, that happens at once.
   */
  enter(key: string, whenNext: (join: () => void) => unknown = (join) => join()): Turn {
    const lane = this.lanes.get(key) ?? { open: 0, active: 0, waiting: new Set() };
    if (lane.open >= this.atOnce + this.mostWaiting)
      throw new DomainError(
        'rate_limited',
        'request.rate_limited',
        `You have too many requests open at once. Try again in ${RETRY_AFTER_SECONDS} s.`,
        [],
        RETRY_AFTER_SECONDS,
      );
    this.lanes.set(key, lane);
    lane.open += 1;
    let isActive = false;
    let hasLeft = false;
    let begin: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      begin = () => {
        lane.waiting.delete(begin);
        isActive = true;
        lane.active += 1;
        resolve();
      };
    });
    whenNext(() => {
      if (hasLeft) return;
      if (lane.active < this.atOnce) begin();
      else lane.waiting.add(begin);
    });
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      lane.open -= 1;
      lane.waiting.delete(begin);
      if (isActive) lane.active -= 1;
      const [next] = lane.waiting;
      if (lane.active < this.atOnce) next?.();
      if (lane.open === 0) this.lanes.delete(key);
    };
    return { ready, leave };
  }
}
