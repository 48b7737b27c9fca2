import { Injectable } from '@nestjs/common';
import { ExecutionReader } from '../../capture/store/execution-reader.service.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { CycleReader } from './cycle.js';

/** A report gets its time before its transaction commits: so long after, it may still appear behind a later one. */
const STRAGGLERS_MS = 10 * MINUTE_MS;

/** What was read of a window, and which. */
interface WindowState {
  readonly reader: CycleReader;
  from: Date;
  to: Date;
}

/**
 * The counts of the window that was looked at last, held between cycles: the next cycle adds what came in and takes back
 * what left, so that its cost follows these. They are made of the stored observations alone, and made anew by a process
 * that has none, or after anything went wrong.
 */
@Injectable()
export class MiningState {
  private state: WindowState | undefined;

  constructor(private readonly window: ExecutionReader) {}

  /** The counts of [from, to]. `onRead` is called with the number of executions that were read. */
  async advance(from: Date, to: Date, onRead: (executions: number) => Promise<void>): Promise<CycleReader> {
    const before = this.state;
    // Whoever fails half way leaves nothing that counts on it.
    this.state = undefined;
    const known = before !== undefined && before.to >= from && before.to <= to ? before : undefined;
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
    // Agents may have got another name or owner since.
    for (const { id, name, owner } of await this.window.agents()) state.reader.renameAgent(id, name, owner);
    this.state = state;
    return state.reader;
  }

  /** Takes back what left the window or counts no more, and puts under their new root those whose parent came late. */
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

const stragglersFrom = (to: Date): Date => new Date(to.getTime() - STRAGGLERS_MS);
const latest = (a: Date, b: Date): Date => (a > b ? a : b);
