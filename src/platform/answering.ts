import { Injectable } from '@nestjs/common';

/** Nothing is put off for longer: where answers are always under way, what can wait still goes on, a step at a time. */
const PATIENCE_MS = 1_000;

/** What somebody waits for goes before what nobody waits for: both are done by one thread, and by one database. */
@Injectable()
export class Answering {
  private underWay = 0;
  private waiting: (() => void)[] = [];

  /** Does work that somebody waits for. */
  async first<T>(work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) for (const goOn of this.waiting.splice(0)) goOn();
    }
  }

  /** Resolves once nobody waits for an answer, or after a second. For work that is asked for by nobody. */
  async quiet(): Promise<void> {
    if (this.underWay === 0) return;
    let patience: NodeJS.Timeout | undefined;
    await new Promise<void>((goOn) => {
      this.waiting.push(goOn);
      patience = setTimeout(goOn, PATIENCE_MS);
    });
    clearTimeout(patience);
  }
}
