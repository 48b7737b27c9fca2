import { DomainError } from '../base/domain.errors.js';

const RETRY_AFTER_SECONDS = 1;

interface Lane {
  active: number;
  readonly waiting: (() => void)[];
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

  /** Throws `rate_limited` if too many of this caller wait already. */
  enter(key: string): Turn {
    const lane = this.lanes.get(key) ?? { active: 0, waiting: [] };
    if (lane.waiting.length >= this.mostWaiting)
      throw new DomainError(
        'rate_limited',
        'request.rate_limited',
        `You have too many requests open at once. Try again in ${RETRY_AFTER_SECONDS} s.`,
        [],
        RETRY_AFTER_SECONDS,
      );
    this.lanes.set(key, lane);
    let isActive = false;
    let begin: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      begin = () => {
        isActive = true;
        lane.active += 1;
        resolve();
      };
    });
    if (lane.active < this.atOnce) begin();
    else lane.waiting.push(begin);
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      if (isActive) lane.active -= 1;
      else lane.waiting.splice(lane.waiting.indexOf(begin), 1);
      if (lane.active < this.atOnce) lane.waiting.shift()?.();
      if (lane.active === 0) this.lanes.delete(key);
    };
    return { ready, leave };
  }
}
