import { Clock } from '../../src/platform/base/clock.js';

/** The system time plus an offset that tests move. */
export class MovableClock extends Clock {
  private offset = 0;
  now(): Date {
    return new Date(Date.now() + this.offset);
  }
  advance(milliseconds: number): void {
    this.offset += milliseconds;
  }
}
