import { Injectable } from '@nestjs/common';

/** Announces new lessons in this process, once their transaction has committed, to what stands below this room. */
@Injectable()
export class StoredLessons {
  private readonly listeners: ((ids: readonly string[]) => void)[] = [];

  /** A listener returns at once and does not throw. */
  listen(listener: (ids: readonly string[]) => void): void {
    this.listeners.push(listener);
  }

  announce(ids: readonly string[]): void {
    if (ids.length > 0) for (const listener of this.listeners) listener(ids);
  }
}
