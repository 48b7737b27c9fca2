import { cpSync, mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../../../src/platform/base/durations.js';
import { dataDirOf, journalKeyOf, type Place, readPlace } from '../killed-program.js';
import { SeededChoices } from '../seeded-choices.js';
import { CONNECTION_NAME, Consolidator, type Ended } from './consolidator.js';
import { type Expected, type MemoryFaults, memoryFaults } from './memory-faults.js';
import {
  agentsWithEndedEntries,
  connectionsEnded,
  type LeaseRow,
  leasesOf,
  memoryOf,
  type RunRow,
  runsOf,
} from './memory-state.js';
import { seedAgents } from './seeded-lessons.js';

const MOST_AGENTS = 40;
/** A lease lasts ten minutes. */
const LEASE_OVER_MS = 11 * MINUTE_MS;
/** A killed run over all agents may have come as far as this many of them. */
const AGENTS_OF_ALL = 3;

export type ConsolidationKill =
  /** After some milliseconds of a run for one agent, or for all. */
  | { readonly kind: 'time'; readonly afterMs: number; readonly ofAll: boolean }
  /** Before the n-th statement that the run sends. */
  | { readonly kind: 'statement'; readonly nth: number; readonly ofAll: false };

/** One database over many kills, and one with the same lessons that is never killed. */
export class ConsolidationSession {
  private readonly random: SeededChoices;
  private expected: Expected = { before: new Map(), after: new Map() };
  private usual = { ms: 0, statements: 0 };
  private next: Consolidator | undefined;
  private kills = 0;
  private runs: readonly RunRow[] = [];
  private leases: readonly LeaseRow[] = [];

  constructor(
    private readonly place: Place,
    private readonly twin: Place,
    seed: string,
    private readonly agents: number,
  ) {
    this.random = new SeededChoices(seed);
  }

  static agentsFor = (kills: number): number => Math.min(MOST_AGENTS, kills + 1);

  /** Seeds both databases, consolidates one of them without a kill and measures the run of one agent there. */
  async begin(): Promise<void> {
    for (const { folder } of [this.place, this.twin]) mkdirSync(folder, { recursive: true });
    const [first = ''] = await readPlace(this.twin, (database) => seedAgents(database, this.agents));
    // A copy is quicker than the migrations of another embedded database.
    if (this.place.url === undefined) cpSync(dataDirOf(this.twin), dataDirOf(this.place), { recursive: true });
    const undisturbed = new Consolidator(this.twin);
    try {
      const { ms = 0, statements = 0 } = requireDone(await undisturbed.run({ agentId: first, aheadMs: 0 }));
      this.usual = { ms: Math.ceil(ms), statements };
      requireDone(await undisturbed.run({ aheadMs: 0 }));
    } finally {
      await undisturbed.kill();
    }
    const after = await readPlace(this.twin, async (database) => {
      const ended = await agentsWithEndedEntries(database);
      if (
        ended.map(({ reason, agents }) => `${reason} ${agents}`).join() !==
        `merged ${this.agents},pruned ${this.agents}`
      )
        throw new Error(`a run does not merge and prune entries of each agent: ${JSON.stringify(ended)}`);
      return memoryOf(database);
    });
    const before = await readPlace(this.place, async (database) => {
      if (this.place.url !== undefined) await seedAgents(database, this.agents);
      return memoryOf(database);
    });
    for (const [agent, memory] of before)
      if (memory === after.get(agent)) throw new Error(`a run changes nothing of agent ${agent}`);
    this.expected = { before, after };
    this.next = new Consolidator(this.place);
  }

  /** Kills a run, and compares. `at` is the phase in which the kill came, according to the run's row. */
  async kill(): Promise<{ plan: ConsolidationKill; at: string; faults: MemoryFaults }> {
    const plan = this.nextPlan();
    const earlier = new Set(this.runs.map(({ id }) => id));
    const done = new Set(this.runs.filter(({ state }) => state === 'completed').map(({ agent }) => agent));
    const open = [...this.expected.before.keys()].filter((agent) => !done.has(agent));
    const agentId = this.random.of(open.length > 0 ? open : [...this.expected.before.keys()]);
    const hasEnded = await this.execute(plan, agentId);
    return readPlace(this.place, async (database) => {
      await connectionsEnded(database, CONNECTION_NAME);
      this.runs = await runsOf(database);
      this.leases = await leasesOf(database);
      const newest = this.runs.filter(({ id }) => !earlier.has(id)).at(-1);
      const phase = newest?.state === 'completed' ? 'committed' : (newest?.phase ?? 'before');
      const faults = await memoryFaults(database, journalKeyOf(this.place), this.expected);
      return { plan, at: hasEnded ? 'atTheEnd' : phase, faults };
    });
  }

  /** A last run finishes what the killed ones left. Everything is then as in the database that was never killed. */
  async finish(): Promise<string[]> {
    const faults: string[] = [];
    const last = this.next ?? new Consolidator(this.place);
    // By the clock of the last kill, whose lease has not expired yet.
    const held = this.leases.find(({ until }) => until.getTime() > Date.now() + this.aheadMs + MINUTE_MS);
    if (held) {
      const { refused } = await last.run({ agentId: held.agent, aheadMs: this.aheadMs });
      if (refused !== 'consolidation.busy') faults.push(`a held lease was ignored: ${refused ?? 'it ran'}`);
    }
    this.kills += 1;
    requireDone(await last.run({ aheadMs: this.aheadMs }));
    await last.kill();
    this.next = undefined;
    await readPlace(this.place, async (database) => {
      await connectionsEnded(database, CONNECTION_NAME);
      const found = await memoryFaults(database, journalKeyOf(this.place), this.expected);
      faults.push(...Object.values(found).flat());
      const memory = await memoryOf(database);
      for (const [agent, after] of this.expected.after)
        if (memory.get(agent) !== after) faults.push(`agent ${agent} differs from the database that was never killed`);
      for (const { id, state } of await runsOf(database)) if (state === 'running') faults.push(`run ${id} never ended`);
      for (const { agent } of await leasesOf(database)) faults.push(`the lease of agent ${agent} was not released`);
    });
    return faults;
  }

  async end(): Promise<void> {
    await this.next?.kill();
  }

  private get aheadMs(): number {
    return this.kills * LEASE_OVER_MS;
  }

  private nextPlan(): ConsolidationKill {
    const roll = this.random.below(10);
    const { ms, statements } = this.usual;
    if (roll < 1) return { kind: 'time', afterMs: this.random.below(AGENTS_OF_ALL * ms + 1), ofAll: true };
    if (roll < 5) return { kind: 'time', afterMs: this.random.below(ms + 1), ofAll: false };
    return { kind: 'statement', nth: 1 + this.random.below(statements), ofAll: false };
  }

  /** True if the run ended before the kill. */
  private async execute(plan: ConsolidationKill, agentId: string): Promise<boolean> {
    const process = this.next ?? new Consolidator(this.place);
    this.kills += 1;
    const killBefore = plan.kind === 'statement' ? { killBefore: plan.nth } : {};
    await process.begin({ ...(plan.ofAll ? {} : { agentId }), aheadMs: this.aheadMs, ...killBefore });
    if (plan.kind === 'time') {
      await sleep(plan.afterMs);
      await process.kill();
    }
    const ended = await process.ended();
    await process.kill();
    // It loads the program while the memory is compared.
    this.next = new Consolidator(this.place);
    if (ended) requireDone(ended);
    return ended !== undefined;
  }
}

function requireDone(ended: Ended): Ended {
  if (ended.refused !== undefined || ended.busy !== 0 || ended.failed?.length !== 0)
    throw new Error(`a run did not complete: ${JSON.stringify(ended)}`);
  return ended;
}
