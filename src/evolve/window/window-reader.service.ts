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

/** The bounds of a window. */
export interface WindowBounds {
  readonly from: Date;
  readonly to: Date;
}

/** The aggregates of a window. */
export interface WindowState extends WindowBounds {
  readonly reader: CycleReader;
  /** Executions that came or left in the last step, and since the counts were saved. */
  readonly changed: number;
  readonly unsaved: number;
}

/** Called with the number of executions that were read. */
type OnRead = (executions: number) => Promise<void>;

/** Counts the executions of a window, from nothing or from the counts of an earlier one. */
@Injectable()
export class WindowReader {
  constructor(private readonly window: ExecutionReader) {}

  /** Returns the counts of [from, to]. Changes `known`, which must {@link continues}; undefined: reads the whole window. */
  async advance(
    known: WindowState | undefined,
    { from, to }: WindowBounds,
    onRead: OnRead = async () => undefined,
  ): Promise<WindowState> {
    // What an execution was counted with is no longer stored, so that it cannot be subtracted.
    const isStale = known !== undefined && (await this.window.hasRecaptured(stragglersFrom(known.to)));
    const before = isStale ? undefined : known;
    const reader = before?.reader ?? new CycleReader();
    let changed = before ? await this.applyChanges(before, from, onRead) : 0;
    for await (const page of this.window.readPages(before ? latest(from, stragglersFrom(before.to)) : from, to)) {
      let read = 0;
      for (const { observed } of page) {
        if (reader.add(observed)) changed += 1;
        read += 1;
      }
      await onRead(read);
    }
    // Agents may have a new name or owner.
    for (const { id, name, owner } of await this.window.agents()) reader.renameAgent(id, name, owner);
    return { reader, from, to, changed, unsaved: (before?.unsaved ?? 0) + changed };
  }

  /**
   * Removes executions that left the window or that a later report replaced, and moves executions whose parent was
   * reported late under their new root. Returns how many were removed.
   */
  private async applyChanges({ reader, ...was }: WindowState, from: Date, onRead: OnRead): Promise<number> {
    let removed = 0;
    const { outgrown, below } = await this.window.changesSince(latest(from, stragglersFrom(was.to)));
    for await (const { observed } of this.window.readWithSuperseded(was.from, new Date(from.getTime() - 1))) {
      if (reader.has(observed.executionId)) removed += 1;
      reader.remove(observed);
      await onRead(1);
    }
    for await (const { observed } of this.window.readByIds([...outgrown].filter((id) => reader.has(id)))) {
      removed += 1;
      reader.remove(observed);
      await onRead(1);
    }
    for await (const { observed } of this.window.readByIds(below.filter((id) => reader.has(id))))
      reader.reparent(observed);
    return removed;
  }
}

/** Returns whether the counts of a window can become those of another one. A window of another length never does. */
export const continues = (before: WindowBounds, { from, to }: WindowBounds): boolean =>
  before.to >= from &&
  before.to <= to &&
  before.to.getTime() - before.from.getTime() === to.getTime() - from.getTime() &&
  to.getTime() - before.to.getTime() <= LONGEST_PAUSE_MS;

const stragglersFrom = (to: Date): Date => new Date(to.getTime() - STRAGGLERS_MS);
const latest = (a: Date, b: Date): Date => (a > b ? a : b);
