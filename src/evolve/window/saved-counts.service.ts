import { Injectable, Logger } from '@nestjs/common';
import { yieldToEventLoop } from '../../platform/background/yielder.js';
import { Clock } from '../../platform/base/clock.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { messageOf } from '../../platform/base/error-text.js';
import { Ids } from '../../platform/base/ids.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { CycleReader } from './cycle-reader.js';
import { MiningStateRepository, type SavedState } from './mining-state.repository.js';
import { packPart, partsOf, STATE_FORMAT } from './state-parts.js';
import { continues, type WindowBounds, type WindowState } from './window-reader.service.js';

/**
 * Saving writes all counts, however few have changed. So a saved state is kept for an hour, unless a tenth of
 * the executions are others: a start then reads an hour of executions, or a tenth of them.
 */
const KEPT = { ms: HOUR_MS, changed: 0.1 } as const;

/** The transaction is undone. */
class ReplacedMeanwhile extends Error {}

/** The counts of a window in the database, from which any process continues. */
@Injectable()
export class SavedCounts {
  private readonly logger = new Logger(SavedCounts.name);

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly states: MiningStateRepository,
  ) {}

  /** Undefined if there is none, or the database does not tell. */
  async find(): Promise<SavedState | undefined> {
    try {
      return await this.states.find(this.database.client);
    } catch (error) {
      this.report('MINING_STATE_UNREADABLE', error);
      return undefined;
    }
  }

  /**
   * Returns the saved counts if those of the window can follow from them. Undefined if they are older, of another
   * format, damaged, or replaced meanwhile.
   */
  async load(saved: SavedState, window: WindowBounds): Promise<WindowState | undefined> {
    if (saved.format !== STATE_FORMAT || !continues(saved, window)) return undefined;
    try {
      const reader = new CycleReader();
      for (let part = 0; part < saved.parts; part += 1) {
        const records = await this.states.readPart(this.database.client, saved.id, part);
        if (records === undefined) throw new SyntaxError(`part ${part} cannot be read`);
        for (const record of records) reader.restore(record);
        await yieldToEventLoop();
      }
      const { executions } = reader.index;
      if (executions !== saved.executions) throw new SyntaxError(`${executions} executions of ${saved.executions}`);
      return { reader, from: saved.from, to: saved.to, changed: 0, unsaved: 0 };
    } catch (error) {
      this.report('MINING_STATE_UNREADABLE', error);
      return undefined;
    }
  }

  /**
   * Saves the counts in the place of `before`. Another process may have saved its own meanwhile, or what removes reports
   * may have removed it: then these are not saved. No error leaves this method, because the cycle does not depend on it.
   * Returns whether the counts are in the database.
   */
  async save(state: WindowState, before: SavedState | undefined): Promise<boolean> {
    try {
      const bodies: Uint8Array[] = [];
      for (const part of partsOf(state.reader.records())) {
        bodies.push(await packPart(part));
        await yieldToEventLoop();
      }
      const { from, to, reader } = state;
      const saved = { id: this.ids.uuid(), format: STATE_FORMAT, from, to, executions: reader.index.executions };
      await this.database.sqlTransaction(async (tx) => {
        const isOwn = await this.states.replace(tx, before?.id, { ...saved, parts: bodies.length }, this.clock.now());
        if (!isOwn) throw new ReplacedMeanwhile();
        for (const [part, body] of bodies.entries()) await this.states.addPart(tx, saved.id, part, body);
      });
      return true;
    } catch (error) {
      if (!(error instanceof ReplacedMeanwhile)) this.report('MINING_STATE_NOT_SAVED', error);
      return false;
    }
  }

  private report(event: string, error: unknown): void {
    this.logger.warn({ event, reason: clip(redact(messageOf(error)).text, 500) });
  }
}

/** Returns whether a saved state still serves beside these counts, which continue it or those of this process. */
export function stillServes(saved: SavedState, { from, to, reader, unsaved }: WindowState): boolean {
  if (saved.format !== STATE_FORMAT || !continues(saved, { from, to })) return false;
  return to.getTime() - saved.to.getTime() < KEPT.ms && unsaved < KEPT.changed * reader.index.executions;
}
