import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { KilledProgram, type Place } from '../killed-program.js';

const PROGRAM = join(PROJECT_ROOT, 'test/crash/consolidation/consolidate.mjs');

/** The name of its connections. After a kill, PostgreSQL may still be finishing what it had received. */
export const CONNECTION_NAME = 'guildbook-crash-consolidation';

export interface Order {
  /** Every agent by default. */
  readonly agentId?: string;
  /** How far its clock is ahead. */
  readonly aheadMs: number;
  /** Kills itself before this statement of the run, from 1. */
  readonly killBefore?: number;
}

export interface Ended {
  readonly runs?: number;
  readonly failed?: readonly (string | null)[];
  readonly busy?: number;
  readonly statements?: number;
  readonly ms?: number;
  readonly refused?: string;
}

/** A process that consolidates. */
export class Consolidator extends KilledProgram<Ended> {
  constructor(place: Place) {
    super(PROGRAM, place, { PGAPPNAME: CONNECTION_NAME, GUILDBOOK_CONSOLIDATION_CRON: 'off' });
  }

  /** Begins a run. Returns when the process says that it begins. */
  async begin(order: Order): Promise<void> {
    this.send(order);
    const line = await this.line();
    if (line !== 'running') throw new Error(`the consolidation does not start: ${line ?? ''}\n${this.log}`);
  }

  async run(order: Order): Promise<Ended> {
    await this.begin(order);
    const ended = await this.ended();
    if (!ended) throw new Error(`the consolidation ended unexpectedly:\n${this.log}`);
    return ended;
  }
}
