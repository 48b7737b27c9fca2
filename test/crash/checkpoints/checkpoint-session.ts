import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../../../src/platform/base/durations.js';
import type { Database } from '../../../src/platform/database/database.js';
import { storeTopics, writeTopicLabels } from '../../support/topic-source.js';
import { connectionsEnded } from '../consolidation/memory-state.js';
import { seedAgents } from '../consolidation/seeded-lessons.js';
import { journalKeyOf, type Place, readPlace } from '../killed-program.js';
import { SeededChoices } from '../seeded-choices.js';
import { checkpointFaults, type EmbedderState, servingFaults, stateOf } from './checkpoint-faults.js';
import { CONNECTION_NAME, type Order, Tuner } from './tuner.js';

/** The lease of a killed run is over by then. */
const LEASE_OVER_MS = MINUTE_MS;
const AGENTS = 2;
/** So many checkpoints that kills can delete some. */
const SPARE_RUNS = 6;

type Operation = 'run' | 'rollback' | 'delete';

export interface CheckpointKill {
  readonly op: Operation;
  readonly target?: string;
  /** Before the n-th statement, or after some milliseconds. */
  readonly killBefore?: number;
  readonly afterMs?: number;
}

/** One database whose processes are killed while they tune, deploy, roll back and delete. */
export class CheckpointSession {
  private readonly random: SeededChoices;
  private readonly usual: Record<Operation, { ms: number; statements: number }> = {
    run: { ms: 1, statements: 1 },
    rollback: { ms: 1, statements: 1 },
    delete: { ms: 1, statements: 1 },
  };
  private state: EmbedderState = { activeId: null, checkpoints: [], hasActiveRun: false, neededIds: [] };
  private next: Tuner | undefined;
  private orders = 0;

  constructor(
    private readonly place: Place,
    private readonly dist: string,
    seed: string,
  ) {
    this.random = new SeededChoices(seed);
  }

  /** Makes memories and labelled queries, and measures each operation without a kill. */
  async begin(): Promise<void> {
    mkdirSync(this.place.folder, { recursive: true });
    writeTopicLabels(join(this.place.folder, 'tuning', 'topics'));
    await this.read(async (database) => {
      await seedAgents(database, AGENTS);
      await storeTopics(database);
    });
    const undisturbed = new Tuner(this.place, this.dist);
    const measure = async (op: Operation, target?: string): Promise<void> => {
      const { statements = 1, ms = 1 } = await undisturbed.do(this.order({ op, ...(target ? { target } : {}) }));
      this.usual[op] = { statements, ms: Math.ceil(ms) };
    };
    try {
      // Only a run that finds more than what is in service makes a checkpoint.
      for (let more = 0; more < SPARE_RUNS; more += 1) {
        await measure('run');
        await measure('rollback', 'configured');
      }
    } finally {
      await undisturbed.kill();
    }
    this.state = await this.read(stateOf);
    const spare = this.state.checkpoints.find(({ id }) => id !== this.state.activeId);
    const deleting = new Tuner(this.place, this.dist);
    const { statements = 1, ms = 1 } = await deleting.do(this.order({ op: 'delete', target: spare?.id ?? '' }));
    this.usual.delete = { statements, ms: Math.ceil(ms) };
    await deleting.kill();
    this.state = await this.read(stateOf);
    this.next = new Tuner(this.place, this.dist);
  }

  /** Kills one operation. Returns what is wrong in the database, and in what the process served before. */
  async kill(): Promise<{ plan: CheckpointKill; hasEnded: boolean; faults: string[] }> {
    const plan = this.nextPlan();
    const tuner = this.next ?? new Tuner(this.place, this.dist);
    const { op, target, killBefore, afterMs } = plan;
    const order = this.order({ op, ...(target ? { target } : {}), ...(killBefore ? { killBefore } : {}) });
    const faults = servingFaults(this.state, await tuner.begin(order));
    if (afterMs !== undefined) {
      await sleep(afterMs);
      await tuner.kill();
    }
    const ended = await tuner.ended();
    await tuner.kill();
    // It loads the program while the database is compared.
    this.next = new Tuner(this.place, this.dist);
    if (ended?.refused !== undefined) faults.push(`${op} was refused: ${ended.refused}`);
    faults.push(...(await this.compare()));
    return { plan, hasEnded: ended !== undefined, faults };
  }

  /** A last run finishes what the killed ones left. */
  async finish(): Promise<string[]> {
    const last = this.next ?? new Tuner(this.place, this.dist);
    this.next = undefined;
    const faults = servingFaults(this.state, await last.begin(this.order({ op: 'run' })));
    const ended = await last.ended();
    if (ended?.refused !== undefined) faults.push(`the last run was refused: ${ended.refused}`);
    await last.kill();
    faults.push(...(await this.compare()));
    if (ended?.serving) faults.push(...servingFaults(this.state, ended.serving));
    if (this.state.hasActiveRun) faults.push('a run never ended');
    return faults;
  }

  async end(): Promise<void> {
    await this.next?.kill();
  }

  private compare(): Promise<string[]> {
    return this.read(async (database) => {
      await connectionsEnded(database, CONNECTION_NAME);
      this.state = await stateOf(database);
      return checkpointFaults(database, journalKeyOf(this.place));
    });
  }

  /** Three kinds of operations in turn of chance; what is not possible now becomes a run. */
  private nextPlan(): CheckpointKill {
    const { activeId, checkpoints, neededIds } = this.state;
    const live = checkpoints.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id);
    const roll = this.random.below(10);
    const targets = [...live, 'configured'].filter((id) => id !== (activeId ?? 'configured'));
    const spare = live.filter((id) => id !== activeId && !neededIds.includes(id));
    if (roll < 4 && targets.length > 0) return this.timed('rollback', this.random.of(targets));
    if (roll < 6 && spare.length > 0) return this.timed('delete', this.random.of(spare));
    return this.timed('run');
  }

  private timed(op: Operation, target?: string): CheckpointKill {
    const { ms, statements } = this.usual[op];
    const what = { op, ...(target === undefined ? {} : { target }) };
    return this.random.below(3) === 0
      ? { ...what, afterMs: this.random.below(ms + 1) }
      : { ...what, killBefore: 1 + this.random.below(statements) };
  }

  private order(order: Omit<Order, 'aheadMs' | 'seed'>): Order {
    this.orders += 1;
    return { ...order, seed: this.orders, aheadMs: this.orders * LEASE_OVER_MS };
  }

  private read<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return readPlace(this.place, work);
  }
}
