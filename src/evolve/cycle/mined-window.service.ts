import { Injectable } from '@nestjs/common';
import { ReportWindow } from '../../capture/store/report-window.service.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { CycleReader } from './cycle.js';

/** A report gets its time before its transaction commits: so long after, it may still appear behind a later one. */
const STRAGGLERS_MS = 10 * MINUTE_MS;

/** What was read of a window, and which. */
interface Held {
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
export class MinedWindow {
  private held: Held | undefined;

  constructor(private readonly window: ReportWindow) {}

  /** The counts of [from, to]. `onRead` is called with the number of executions that were read. */
  async advance(from: Date, to: Date, onRead: (executions: number) => Promise<void>): Promise<CycleReader> {
    const before = this.held;
    // Whoever fails half way leaves nothing that counts on it.
    this.held = undefined;
    const known = before !== undefined && before.to >= from && before.to <= to ? before : undefined;
    const held = known ?? { reader: new CycleReader(), from, to };
    if (known) await this.correct(known, from, onRead);
    for await (const page of this.window.pages(known ? latest(from, straggling(known.to)) : from, to)) {
      let read = 0;
      for (const { observed } of page) {
        held.reader.add(observed);
        read += 1;
      }
      await onRead(read);
    }
    [held.from, held.to] = [from, to];
    // Agents may have got another name or owner since.
    for (const { id, name, owner } of await this.window.agents()) held.reader.rename(id, name, owner);
    this.held = held;
    return held.reader;
  }

  /** Takes back what left the window or counts no more, and puts under their new root those whose parent came late. */
  private async correct(
    { reader, ...was }: Held,
    from: Date,
    onRead: (executions: number) => Promise<void>,
  ): Promise<void> {
    const { outgrown, below } = await this.window.changesSince(latest(from, straggling(was.to)));
    for await (const { observed } of this.window.stored(was.from, new Date(from.getTime() - 1))) {
      reader.remove(observed);
      await onRead(1);
    }
    for await (const { observed } of this.window.these([...outgrown].filter((id) => reader.holds(id)))) {
      reader.remove(observed);
      await onRead(1);
    }
    for await (const { observed } of this.window.these(below.filter((id) => reader.holds(id)))) reader.move(observed);
  }
}

const straggling = (to: Date): Date => new Date(to.getTime() - STRAGGLERS_MS);
const latest = (a: Date, b: Date): Date => (a > b ? a : b);
