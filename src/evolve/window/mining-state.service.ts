import { Injectable } from '@nestjs/common';
import { ExecutionReader } from '../../capture/store/execution-reader.service.js';
import { DAY_MS, MINUTE_MS } from '../../platform/base/durations.js';
import { CycleReader } from './cycle-reader.js';

/**
 * A report gets its timestamp before its transaction commits. For this long, it may still appear behind a later one.
 */
const STRAGGLERS_MS = 10 * MINUTE_MS;

/**
 * After this time between two cycles, reports that left the window may have been removed, so that they can no longer be
 * subtracted: what keeps reports for a number of days keeps those of the window for a day more.
 */
const LONGEST_PAUSE_MS = DAY_MS;

/** The aggregates of a window, and its bounds. */
interface WindowState {
  readonly reader: CycleReader;
  from: Date;
  to: Date;
}

/**
 * Keeps the counts of the last window between cycles. The next cycle adds new executions and removes those that left,
 * so that its cost depends on these only. The counts are derived from stored observations, and computed from them again
 * by a new process or after an error.
 */
@Injectable()
export class MiningState {
  private state: WindowState | undefined;

  constructor(private readonly window: ExecutionReader) {}

  /** Returns the counts of [from, to]. Calls `onRead` with the number of executions that were read. */
  async advance(from: Date, to: Date, onRead: (executions: number) => Promise<void>): Promise<CycleReader> {
    const before = this.state;
    // A failure below leaves no state for the next cycle.
    this.state = undefined;
    const known = before !== undefined && continues(before, from, to) ? before : undefined;
    const state = known ?? { reader: new CycleReader(), from, to };
    if (known) await this.applyChanges(known, from, onRead);
    for await (const page of this.window.readPages(known ? latest(from, stragglersFrom(known.to)) : from, to)) {
      let read = 0;
      for (const { observed } of page) {
        state.reader.add(observed);
        read += 1;
      }
      await onRead(read);
    }
    [state.from, state.to] = [from, to];
    // Agents may have a new name or owner.
    for (const { id, name, owner } of await this.window.agents()) state.reader.renameAgent(id, name, owner);
    this.state = state;
    return state.reader;
  }

  /**
   * Removes executions that left the window or that a later report replaced, and moves executions whose parent was
   * reported late under their new root.
   */
  private async applyChanges(
    { reader, ...was }: WindowState,
    from: Date,
    onRead: (executions: number) => Promise<void>,
  ): Promise<void> {
    const { outgrown, below } = await this.window.changesSince(latest(from, stragglersFrom(was.to)));
    for await (const { observed } of this.window.readWithSuperseded(was.from, new Date(from.getTime() - 1))) {
      reader.remove(observed);
      await onRead(1);
    }
    for await (const { observed } of this.window.readByIds([...outgrown].filter((id) => reader.has(id)))) {
      reader.remove(observed);
      await onRead(1);
    }
    for await (const { observed } of this.window.readByIds(below.filter((id) => reader.has(id))))
      reader.reparent(observed);
  }
}

const continues = (before: WindowState, from: Date, to: Date): boolean =>
  before.to >= from && before.to <= to && to.getTime() - before.to.getTime() <= LONGEST_PAUSE_MS;

const stragglersFrom = (to: Date): Date => new Date(to.getTime() - STRAGGLERS_MS);
const latest = (a: Date, b: Date): Date => (a > b ? a : b);
