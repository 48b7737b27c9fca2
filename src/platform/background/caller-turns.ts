import { DomainError } from '../base/domain.errors.js';

const RETRY_AFTER_SECONDS = 1;

interface Work {
  state: 'behind' | 'waiting' | 'active';
  begin: () => void;
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
  private readonly lanes = new Map<string, Set<Work>>();

  constructor(
    private readonly atOnce: number,
    private readonly mostWaiting: number,
  ) {}

  /**
   * Throws `rate_limited` if too many of this caller wait already. `whenNext` is given what puts the work into the order;
   * without it, that happens at once.
   */
  enter(key: string, whenNext: (join: () => void) => unknown = (join) => join()): Turn {
    const lane = this.lanes.get(key) ?? new Set();
    if (lane.size >= this.atOnce + this.mostWaiting)
      throw new DomainError(
        'rate_limited',
        'request.rate_limited',
        `You have too many requests open at once. Try again in ${RETRY_AFTER_SECONDS} s.`,
        [],
        RETRY_AFTER_SECONDS,
      );
    const work: Work = { state: 'behind', begin: () => undefined };
    const ready = new Promise<void>((resolve) => {
      work.begin = resolve;
    });
    this.lanes.set(key, lane.add(work));
    const advance = (): void => {
      const works = [...lane];
      const next = works.find(({ state }) => state === 'waiting');
      if (!next || works.filter(({ state }) => state === 'active').length >= this.atOnce) return;
      next.state = 'active';
      next.begin();
    };
    whenNext(() => {
      work.state = 'waiting';
      advance();
    });
    const leave = (): void => {
      if (!lane.delete(work)) return;
      advance();
      if (lane.size === 0) this.lanes.delete(key);
    };
    return { ready, leave };
  }
}
