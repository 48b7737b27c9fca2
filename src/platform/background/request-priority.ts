import { Injectable } from '@nestjs/common';

/** Longest wait of background work. */
const MAX_WAIT_MS = 1_000;
/**
 * If requests never pause, background work waits this many times as long as its last step took. So it gets a fifth of the
 * time: with a fixed wait, a queue of short steps would grow for as long as the requests come.
 */
const WAIT_PER_STEP = 4;
/**
 * After this many requests, more are likely to follow. Background work waits LINGER_MS more, or it would start just
 * before the next request.
 */
const BURST = 20;
const LINGER_MS = 50;

/** A method of a service that handles a request. */
type RequestMethod<S, Args extends unknown[], Answer> = (this: S, ...args: Args) => Promise<Answer>;

/**
 * Decorates a method that handles a request: background work that calls `waitForRequests` waits until the method has
 * ended. The call itself does not change.
 */
export function BeforeBackgroundWork() {
  return <S extends { readonly priority: RequestPriority }, Args extends unknown[], Answer>(
    _service: S,
    _name: string,
    method: TypedPropertyDescriptor<RequestMethod<S, Args, Answer>>,
  ): void => {
    const verb = method.value;
    if (!verb) throw new TypeError('@BeforeBackgroundWork() decorates methods only');
    method.value = function (this: S, ...args: Args): Promise<Answer> {
      return this.priority.runRequest(() => verb.apply(this, args));
    };
  };
}

/** Lets requests run before background work, because both share one thread and one database. */
@Injectable()
export class RequestPriority {
  private activeRequests = 0;
  /** Requests that ended since background work was last released. */
  private requestsSinceRelease = 0;
  private lingerTimer: NodeJS.Timeout | undefined;
  private waitingWork: (() => void)[] = [];
  /** When each worker was last let go. */
  private readonly releasedAt = new WeakMap<object, number>();

  /** Runs `work` and counts it as a request until it has ended. Methods use `@BeforeBackgroundWork()` instead. */
  async runRequest<T>(work: () => Promise<T>): Promise<T> {
    this.activeRequests += 1;
    clearTimeout(this.lingerTimer);
    this.lingerTimer = undefined;
    try {
      return await work();
    } finally {
      this.activeRequests -= 1;
      this.requestsSinceRelease += 1;
      if (this.activeRequests === 0) this.onIdle();
    }
  }

  /**
   * Called by a worker before each step. Resolves when no request is active (after a burst, LINGER_MS later), at the latest
   * after four times as long as its last step took, and after one second.
   */
  async waitForRequests(worker: object): Promise<void> {
    if (this.activeRequests === 0 && this.lingerTimer === undefined) this.requestsSinceRelease = 0;
    else
      await this.pauseOrTimeout(
        WAIT_PER_STEP * (performance.now() - (this.releasedAt.get(worker) ?? Number.NEGATIVE_INFINITY)),
      );
    this.releasedAt.set(worker, performance.now());
  }

  private async pauseOrTimeout(longestMs: number): Promise<void> {
    let timeout: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.waitingWork.push(resolve);
      timeout = setTimeout(resolve, Math.min(MAX_WAIT_MS, longestMs));
    });
    clearTimeout(timeout);
  }

  private onIdle(): void {
    if (this.requestsSinceRelease <= BURST) this.releaseWaiting();
    else this.lingerTimer = setTimeout(() => this.releaseWaiting(), LINGER_MS);
  }

  private releaseWaiting(): void {
    this.lingerTimer = undefined;
    if (this.waitingWork.length > 0) this.requestsSinceRelease = 0;
    for (const release of this.waitingWork.splice(0)) release();
  }
}
