import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { KilledProgram, type Place } from '../killed-program.js';

const PROGRAM = join(PROJECT_ROOT, 'test/crash/checkpoints/tune.mjs');
/** The name of its connections. After a kill, PostgreSQL may still be finishing what it had received. */
export const CONNECTION_NAME = 'guildbook-crash-checkpoints';

export interface Order {
  readonly op: 'run' | 'rollback' | 'delete' | 'look';
  readonly target?: string;
  /** Of a run that it starts. */
  readonly seed: number;
  /** How far its clock is ahead. */
  readonly aheadMs: number;
  /** Kills itself before this statement, from 1. */
  readonly killBefore?: number;
}

export interface Serving {
  readonly checkpointId: string | null;
  readonly name: string;
  readonly dimensions: number;
  readonly fits: boolean;
}

export interface Ended {
  readonly statements?: number;
  readonly ms?: number;
  readonly serving?: Serving;
  readonly refused?: string;
}

/** A process that tunes the embedder. */
export class Tuner extends KilledProgram<Ended> {
  constructor(place: Place, dist: string) {
    super(PROGRAM, place, { CRASH_DIST: dist, PGAPPNAME: CONNECTION_NAME, GUILDBOOK_RETRIEVAL: 'hybrid' });
  }

  /** Begins an order. Returns what the process serves before it. */
  async begin(order: Order): Promise<Serving> {
    this.send(order);
    const line = await this.line();
    if (!line?.startsWith('serving ')) throw new Error(`the program does not start: ${line ?? ''}\n${this.log}`);
    if ((await this.line()) !== 'running') throw new Error(`the order does not begin\n${this.log}`);
    return JSON.parse(line.slice('serving '.length));
  }

  async do(order: Order): Promise<Ended> {
    await this.begin(order);
    const ended = await this.ended();
    if (!ended || ended.refused !== undefined) throw new Error(`${order.op} failed: ${ended?.refused}\n${this.log}`);
    return ended;
  }
}
