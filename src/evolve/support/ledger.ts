import type { ExecutionObservations } from '../../capture/observations/observation.js';
import { type CountRecord, type CountRecordOf, type SavedNumbers, slices } from './count-records.schema.js';
import { Numbering } from './numbering.js';

const INITIAL_ROWS = 1_024;
const NO_AGENT = -1;
/** Executions of one saved record. */
const SAVED_TOGETHER = 1_000;
/** Executions per sampled one, among which those of different origins are preferred. */
const SAMPLED_FROM = 10;

/**
 * The properties of executions in columns of plain numbers. The numbers of origins and roots are small and have no
 * meaning.
 */
export interface Columns {
  readonly agent: Int32Array;
  readonly origin: Int32Array;
  readonly root: Int32Array;
  /** Of its label; executions without one share a number. */
  readonly project: Int32Array;
  readonly finishedAt: Float64Array;
}

const columns = (room: number): Columns => ({
  agent: new Int32Array(room),
  origin: new Int32Array(room),
  root: new Int32Array(room),
  project: new Int32Array(room),
  finishedAt: new Float64Array(room),
});

/**
 * The executions of the window by number: a million of them must fit beside the counts. Ids, origins and roots are
 * identified by 53 bits of a hash. The server makes the ids: of a million, one collides in one window out of eighteen
 * thousand.
 */
export class Ledger {
  private readonly ids = new Numbering();
  private readonly executionIds = new ExecutionIds();
  private readonly origins = new Numbering();
  private readonly roots = new Numbering();
  private readonly projects = new Numbering();
  private rows = columns(INITIAL_ROWS);
  /** Reused by {@link rowsOf}: separate arrays for each family would be allocated faster than they are freed. */
  private scratch = columns(INITIAL_ROWS);
  private readonly agentOf = new Map<string, number>();
  private readonly agents: { id: string; name: string; owner: string }[] = [];

  /** Returns the number of the execution; undefined if it is already in the ledger. */
  add({ executionId, agentName, support, projectName, finishedAt }: ExecutionObservations): number | undefined {
    return this.addRow(executionId, {
      agent: this.agentNumber(support.agentId, agentName, support.owner),
      origin: hashOf(support.origin),
      root: hashOf(support.root),
      project: hashOf(projectName ?? ''),
      finishedAt: Date.parse(finishedAt),
    });
  }

  /** `agent`: its number; `origin`, `root` and `project`: their hashes. */
  private addRow(executionId: string, row: { readonly [K in keyof Columns]: number }): number | undefined {
    const id = hashOf(executionId);
    if (this.ids.find(id) !== undefined) return undefined;
    const at = this.ids.take(id);
    if (at >= this.rows.agent.length) this.grow();
    this.executionIds.set(at, executionId);
    this.rows.agent[at] = row.agent;
    this.rows.origin[at] = this.origins.take(row.origin);
    this.rows.root[at] = this.roots.take(row.root);
    this.rows.project[at] = this.projects.take(row.project);
    this.rows.finishedAt[at] = row.finishedAt;
    return at;
  }

  remove(executionId: string): number | undefined {
    const at = this.numberOf(executionId);
    if (at === undefined) return undefined;
    this.ids.release(at);
    this.executionIds.delete(at);
    this.origins.release(this.rows.origin[at] ?? 0);
    this.roots.release(this.rows.root[at] ?? 0);
    this.projects.release(this.rows.project[at] ?? 0);
    this.rows.agent[at] = NO_AGENT;
    return at;
  }

  numberOf(executionId: string): number | undefined {
    return this.ids.find(hashOf(executionId));
  }

  get size(): number {
    return this.ids.size;
  }

  /** Returns the id of an execution by its number. */
  executionId(number: number): string {
    return this.executionIds.get(number);
  }

  /**
   * Returns the ids of at most `count` of these executions: those of different origins and agents first, otherwise in an
   * order that depends on the ids alone.
   */
  sampleOf(numbers: Iterable<number>, count: number): string[] {
    const byHash = [...numbers].map((number) => ({ number, hash: hashOf(this.executionId(number)) }));
    byHash.sort((a, b) => a.hash - b.hash);
    const [perOrigin, perAgent] = [new Map<number, number>(), new Map<number, number>()];
    const ranked = byHash.slice(0, SAMPLED_FROM * count).map(({ number, hash }) => {
      const [origin, agent] = [this.rows.origin[number] ?? 0, this.agentAt(number)];
      const rank = (perOrigin.get(origin) ?? 0) + (perAgent.get(agent) ?? 0);
      perOrigin.set(origin, (perOrigin.get(origin) ?? 0) + 1);
      perAgent.set(agent, (perAgent.get(agent) ?? 0) + 1);
      return { number, hash, rank };
    });
    return ranked
      .sort((a, b) => a.rank - b.rank || a.hash - b.hash)
      .slice(0, count)
      .map(({ number }) => this.executionId(number));
  }

  /** Moves an execution under another root, after its parent was reported late. Returns false if nothing changed. */
  setRoot(executionId: string, to: string): boolean {
    const at = this.numberOf(executionId);
    if (at === undefined) return false;
    const [before, root] = [this.rows.root[at] ?? 0, this.roots.take(hashOf(to))];
    this.roots.release(before);
    this.rows.root[at] = root;
    return root !== before;
  }

  /** Returns false if nothing changed. */
  renameAgent(id: string, name: string, owner: string): boolean {
    const known = this.agentOf.get(id);
    const agent = known === undefined ? undefined : this.agents[known];
    if (known === undefined || !agent || (agent.name === name && agent.owner === owner)) return false;
    this.agents[known] = { id, name, owner };
    return true;
  }

  agentAt(number: number): number {
    const agent = this.rows.agent[number] ?? NO_AGENT;
    if (agent === NO_AGENT) throw new Error(`execution ${number} has left the ledger`);
    return agent;
  }

  /** Returns the columns of these executions, in this order; valid until the next call. */
  rowsOf(numbers: Iterable<number>, count: number): Columns {
    if (count > this.scratch.agent.length) this.scratch = columns(Math.ceil(1.25 * count));
    const { agent, origin, root, project, finishedAt } = this.scratch;
    let row = 0;
    for (const number of numbers) {
      if (row === count) break;
      agent[row] = this.agentAt(number);
      origin[row] = this.rows.origin[number] ?? 0;
      root[row] = this.rows.root[number] ?? 0;
      project[row] = this.rows.project[number] ?? 0;
      finishedAt[row] = this.rows.finishedAt[number] ?? 0;
      row += 1;
    }
    return {
      agent: agent.subarray(0, row),
      origin: origin.subarray(0, row),
      root: root.subarray(0, row),
      project: project.subarray(0, row),
      finishedAt: finishedAt.subarray(0, row),
    };
  }

  /** The owners of the window by number, so that a million executions can be compared. */
  ownersOf(agents: Int32Array): Int32Array {
    const numbers = new Map<string, number>();
    const byAgent = this.agents.map(({ owner }) => {
      const known = numbers.get(owner) ?? numbers.size;
      numbers.set(owner, known);
      return known;
    });
    return agents.map((agent) => byAgent[agent] ?? 0);
  }

  /** Returns how many different owners these agents have. */
  countOwners(agents: Iterable<number>): number {
    const owners = new Set<string>();
    let last: string | undefined;
    for (const agent of agents) {
      const owner = this.agents[agent]?.owner ?? '';
      if (owner !== last) owners.add(owner);
      last = owner;
    }
    return owners.size;
  }

  /** Returns how often each agent occurs, by its number. */
  occurrences(agents: Int32Array): Int32Array {
    const times = new Int32Array(this.agents.length);
    for (const agent of agents) times[agent] = (times[agent] ?? 0) + 1;
    return times;
  }

  /** Agents with an execution. */
  countAgents(): number {
    const seen = new Set<number>();
    for (const at of this.present()) seen.add(this.agentAt(at));
    return seen.size;
  }

  agent(number: number): { id: string; name: string; owner: string } {
    return this.agents[number] ?? { id: '', name: '', owner: '' };
  }

  /** Returns the agent's number. The latest name and owner apply to all its executions. */
  agentNumber(id: string, name: string, owner: string): number {
    const known = this.agentOf.get(id);
    if (known === undefined) {
      this.agentOf.set(id, this.agents.length);
      this.agents.push({ id, name, owner });
      return this.agents.length - 1;
    }
    const agent = this.agents[known];
    if (agent?.name !== name || agent.owner !== owner) this.agents[known] = { id, name, owner };
    return known;
  }

  /** The numbers that executions, and agents with an execution, get in {@link records}. */
  savedNumbers(): SavedNumbers {
    const executions = new Int32Array(this.ids.bound).fill(NO_AGENT);
    const agents = new Int32Array(this.agents.length).fill(NO_AGENT);
    let [size, used] = [0, 0];
    for (const at of this.present()) {
      const agent = this.agentAt(at);
      executions[at] = size++;
      if (agents[agent] === NO_AGENT) agents[agent] = used++;
    }
    return { execution: (number) => executions[number] ?? NO_AGENT, agent: (number) => agents[number] ?? NO_AGENT };
  }

  /** What it holds, without executions that were removed and agents that have none. */
  *records(numbers: SavedNumbers): Generator<CountRecord> {
    const agents: [string, string, string][] = [];
    for (const [at, { id, name, owner }] of this.agents.entries()) {
      const place = numbers.agent(at);
      if (place !== NO_AGENT) agents[place] = [id, name, owner];
    }
    for (const slice of slices(agents, SAVED_TOGETHER)) yield { of: 'agents', agents: slice };
    for (const slice of slices(this.present(), SAVED_TOGETHER))
      yield {
        of: 'executions',
        ids: slice.map((at) => this.executionIds.get(at)),
        agents: slice.map((at) => numbers.agent(this.agentAt(at))),
        origins: slice.map((at) => this.origins.keyOf(this.rows.origin[at] ?? 0)),
        roots: slice.map((at) => this.roots.keyOf(this.rows.root[at] ?? 0)),
        projects: slice.map((at) => this.projects.keyOf(this.rows.project[at] ?? 0)),
        finishedAt: slice.map((at) => this.rows.finishedAt[at] ?? 0),
      };
  }

  /** Adds what {@link records} gave. Throws a SyntaxError if they do not belong together. */
  restoreAgents({ agents }: CountRecordOf<'agents'>): void {
    for (const [id, name, owner] of agents) this.agentNumber(id, name, owner);
  }

  /** Returns the executions by their new numbers. */
  restoreExecutions(record: CountRecordOf<'executions'>): [number, string][] {
    return record.ids.map((id, at) => {
      const [agent, origin, root] = [record.agents[at], record.origins[at], record.roots[at]];
      const [project, finishedAt] = [record.projects[at], record.finishedAt[at]];
      const isWhole = [agent, origin, root, project, finishedAt].every((value) => value !== undefined);
      const row = {
        agent: agent ?? 0,
        origin: origin ?? 0,
        root: root ?? 0,
        project: project ?? 0,
        finishedAt: finishedAt ?? 0,
      };
      const number = isWhole && row.agent < this.agents.length ? this.addRow(id, row) : undefined;
      if (number === undefined) throw new SyntaxError('these are no executions of a ledger');
      return [number, id];
    });
  }

  /** Throws a SyntaxError if one of these is not the number of an execution. */
  requireExecutions(numbers: readonly number[]): void {
    for (const number of numbers)
      if (number >= this.ids.bound) throw new SyntaxError(`there is no execution ${number}`);
  }

  /** The numbers of all executions. */
  private *present(): Generator<number> {
    for (let at = 0; at < this.ids.bound; at += 1) if (this.rows.agent[at] !== NO_AGENT) yield at;
  }

  private grow(): void {
    const before = this.rows;
    this.rows = columns(2 * before.agent.length);
    for (const name of ['agent', 'origin', 'root', 'project', 'finishedAt'] as const) this.rows[name].set(before[name]);
  }
}

/**
 * Returns 53 bits, which a number holds exactly (cyrb53, public domain). A forged collision gains nothing: more
 * executions never lower the number of distinct agents, and two colliding roots count once.
 */
export function hashOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const WORDS = 4;

/** The ids of executions by number: 16 bytes for each of the server's ids. Other ids, as in measurements, are kept as text. */
export class ExecutionIds {
  private words = new Uint32Array(WORDS * INITIAL_ROWS);
  private readonly others = new Map<number, string>();

  set(number: number, id: string): void {
    if (!UUID.test(id)) {
      this.others.set(number, id);
      return;
    }
    this.others.delete(number);
    if (WORDS * number >= this.words.length) {
      const more = new Uint32Array(2 * WORDS * (number + 1));
      more.set(this.words);
      this.words = more;
    }
    const digits = id.replaceAll('-', '');
    for (let at = 0; at < WORDS; at += 1)
      this.words[WORDS * number + at] = Number.parseInt(digits.slice(8 * at, 8 * at + 8), 16);
  }

  /** Only of numbers that were set. */
  get(number: number): string {
    const other = this.others.get(number);
    if (other !== undefined) return other;
    const [a, b, c, d] = [
      this.digits(number, 0),
      this.digits(number, 1),
      this.digits(number, 2),
      this.digits(number, 3),
    ];
    return `${a}-${b.slice(0, 4)}-${b.slice(4)}-${c.slice(0, 4)}-${c.slice(4)}${d}`;
  }

  private digits(number: number, at: number): string {
    return (this.words[WORDS * number + at] ?? 0).toString(16).padStart(8, '0');
  }

  delete(number: number): void {
    this.others.delete(number);
  }
}
