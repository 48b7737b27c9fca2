import { Injectable } from '@nestjs/common';

/** Background work waits no longer: where requests never end, it still goes on, a step at a time. */
const PATIENCE_MS = 1_000;
/** After so many requests, more are expected: background work would begin just before the next one. */
const BURST = 20;
const LINGER_MS = 50;

/** A verb of a service that answers requests. */
type Verb<S, Args extends unknown[], Answer> = (this: S, ...args: Args) => Promise<Answer>;

/**
 * On a verb that answers a request: background work that calls `quiet` waits until the answer is given. Nothing else of
 * the call changes.
 */
export function BeforeBackgroundWork() {
  return <S extends { readonly priority: RequestPriority }, Args extends unknown[], Answer>(
    _service: S,
    _name: string,
    method: TypedPropertyDescriptor<Verb<S, Args, Answer>>,
  ): void => {
    const verb = method.value;
    if (!verb) throw new TypeError('only a method answers a request');
    method.value = function (this: S, ...args: Args): Promise<Answer> {
      return this.priority.first(() => verb.apply(this, args));
    };
  };
}

/** Requests go before background work: both share one thread and one database. */
@Injectable()
export class RequestPriority {
  private underWay = 0;
  /** Requests since background work last went on. */
  private given = 0;
  private lingering: NodeJS.Timeout | undefined;
  private waiting: (() => void)[] = [];

  /** Counts as a request until `work` has ended; verbs say so by `@BeforeBackgroundWork()`. */
  async first<T>(work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    clearTimeout(this.lingering);
    this.lingering = undefined;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
      this.given += 1;
      if (this.underWay === 0) this.rest();
    }
  }

  /** For background work: resolves once no request is under way, after many requests a little later, or after a second. */
  async quiet(): Promise<void> {
    if (this.underWay === 0 && this.lingering === undefined) {
      this.given = 0;
      return;
    }
    let patience: NodeJS.Timeout | undefined;
    await new Promise<void>((goOn) => {
      this.waiting.push(goOn);
      patience = setTimeout(goOn, PATIENCE_MS);
    });
    clearTimeout(patience);
  }

  private rest(): void {
    if (this.given <= BURST) this.goOn();
    else this.lingering = setTimeout(() => this.goOn(), LINGER_MS);
  }

  private goOn(): void {
    this.lingering = undefined;
    if (this.waiting.length > 0) this.given = 0;
    for (const goOn of this.waiting.splice(0)) goOn();
  }
}
