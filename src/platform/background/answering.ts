import { Injectable } from '@nestjs/common';

/** Nothing is put off for longer: where answers are always under way, what can wait still goes on, a step at a time. */
const PATIENCE_MS = 1_000;
/** After so many answers, more are expected: what can wait would begin just before the next is asked for. */
const BURST = 20;
const LINGER_MS = 50;

/** What somebody waits for goes before what nobody waits for: both are done by one thread, and by one database. */
@Injectable()
export class Answering {
  private underWay = 0;
  /** Answers since what can wait last went on. */
  private given = 0;
  private lingering: NodeJS.Timeout | undefined;
  private waiting: (() => void)[] = [];

  /** Does work that somebody waits for. */
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

  /** Resolves once nobody waits for an answer, after many answers a little later, or after a second. */
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
