import { Injectable, Logger } from '@nestjs/common';
import type { CycleReader } from './cycle-reader.js';
import type { SavedState } from './mining-state.repository.js';
import { SavedCounts, stillServes } from './saved-counts.service.js';
import { continues, type WindowBounds, WindowReader, type WindowState } from './window-reader.service.js';

/**
 * Keeps the counts of the last window between cycles. The next cycle adds new executions and removes those that left,
 * so that its cost depends on these only. A process without counts, or with counts that are too old, continues from
 * those in the database. The counts are derived from stored observations, and computed from them again where there are
 * none, or after an error.
 */
@Injectable()
export class MiningState {
  private readonly logger = new Logger(MiningState.name);
  private state: WindowState | undefined;
  /** The saved counts from which a cycle of this process began and failed: they may be why. */
  private failedFrom: string | undefined;

  constructor(
    private readonly window: WindowReader,
    private readonly saved: SavedCounts,
  ) {}

  /** Returns the counts of [from, to]. Calls `onRead` with the number of executions that were read. */
  async advance(from: Date, to: Date, onRead: (executions: number) => Promise<void>): Promise<CycleReader> {
    const own = this.state;
    // A failure below leaves no state for the next cycle.
    this.state = undefined;
    const startedMs = performance.now();
    const saved = await this.saved.find();
    // Its own counts are preferred to later ones of another process, because it keeps what it found with them.
    const known = own && continues(own, { from, to }) ? own : await this.load(saved, { from, to });
    const state = await this.window.advance(known, { from, to }, onRead).catch((error: unknown) => {
      this.failedFrom = saved?.id;
      throw error;
    });
    const began = known === undefined ? 'nothing' : known === own ? 'memory' : 'database';
    const { executions } = state.reader.index;
    const ms = Math.round(performance.now() - startedMs);
    this.logger.log({ event: 'MINING_STATE_READ', began, executions, changed: state.changed, ms });
    // Saved counts from which a whole window had to be read again are of no use to the next start either.
    const keepsSaved = known !== undefined && saved !== undefined && stillServes(saved, state);
    this.state = !keepsSaved && (await this.saved.save(state, saved)) ? { ...state, unsaved: 0 } : state;
    return state.reader;
  }

  private async load(saved: SavedState | undefined, window: WindowBounds): Promise<WindowState | undefined> {
    return saved && saved.id !== this.failedFrom ? this.saved.load(saved, window) : undefined;
  }
}
