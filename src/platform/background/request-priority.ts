import { Injectable } from '@nestjs/common';

/** Background work waits no longer: where requests never end, it still goes on, a step at a time. */
const MAX_WAIT_MS = 1_000;
/** After so many requests, more are expected: background work would begin just before the next one. */
const BURST = 20;
const LINGER_MS = 50;

/** A verb of a service that answers requests. */
type RequestMethod<S, Args extends unknown[], Answer> = (this: S, ...args: Args) => Promise<Answer>;

/**
 * On a verb that answers a request: background work that calls `quiet` waits until the answer is given. Nothing else of
 * the call changes.
 */
export function BeforeBackgroundWork() {
  return <S extends { readonly priority: RequestPriority }, Args extends unknown[], Answer>(
    _service: S,
    _name: string,
    method: TypedPropertyDescriptor<RequestMethod<S, Args, Answer>>,
  ): void => {
    const verb = method.value;
    if (!verb) throw new TypeError('only a method answers a request');
    method.value = function (this: S, ...args: Args): Promise<Answer> {
      return this.priority.runRequest(() => verb.apply(this, args));
    };
  };
}

/** Requests go before background work: both share one thread and one database. */
@Injectable()
export class RequestPriority {
  private activeRequests = 0;
  /** Requests since background work last went on. */
  private requestsSinceRelease = 0;
  private lingerTimer: NodeJS.Timeout | undefined;
  private waitingWork: (() => void)[] = [];

  /** Counts as a request until `work` has ended; verbs say so by `@BeforeBackgroundWork()`. */
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

  /** For background work: resolves once no request is under way, after many requests a little later, or after a second. */
  async waitForRequests(): Promise<void> {
    if (this.activeRequests === 0 && this.lingerTimer === undefined) {
      this.requestsSinceRelease = 0;
      return;
    }
    let patience: NodeJS.Timeout | undefined;
    await new Promise<void>((releaseWaiting) => {
      this.waitingWork.push(releaseWaiting);
      patience = setTimeout(releaseWaiting, MAX_WAIT_MS);
    });
    clearTimeout(patience);
  }

  private onIdle(): void {
    if (this.requestsSinceRelease <= BURST) this.goOn();
    else this.lingerTimer = setTimeout(() => this.goOn(), LINGER_MS);
  }

  private goOn(): void {
    this.lingerTimer = undefined;
    if (this.waitingWork.length > 0) this.requestsSinceRelease = 0;
    for (const goOn of this.waitingWork.splice(0)) goOn();
  }
}
