import type { ExecutionObservations } from '../capture/observation.js';
import { sha256 } from '../platform/canonical-json.js';

/** What is kept of an execution beside the counts that it went into. */
export interface LedgerEntry {
  /** By number, as {@link Ledger.agent} has it. */
  readonly agent: number;
  readonly origin: number;
  readonly root: number;
  /** Milliseconds. */
  readonly finishedAt: number;
}

/**
 * The executions of the window by number: a million of them have to fit beside the counts. Origins and roots are kept as
 * 52 bits of their hash. Should two collide, somebody made them: they count as one, so that nothing is won by it.
 */
export class Ledger {
  private readonly numberOf = new Map<string, number>();
  private readonly entries: (LedgerEntry | undefined)[] = [];
  private readonly free: number[] = [];
  private readonly agentOf = new Map<string, number>();
  private readonly agents: { id: string; name: string; owner: string }[] = [];

  /** The number of the execution; undefined when it is in the ledger already. */
  add({ executionId, agentName, support, finishedAt }: ExecutionObservations): number | undefined {
    if (this.numberOf.has(executionId)) return undefined;
    const at = this.free.pop() ?? this.entries.length;
    this.numberOf.set(executionId, at);
    this.entries[at] = {
      agent: this.agentNumber(support.agentId, agentName, support.owner),
      origin: numberFor(support.origin),
      root: numberFor(support.root),
      finishedAt: Date.parse(finishedAt),
    };
    return at;
  }

  remove(executionId: string): number | undefined {
    const at = this.numberOf.get(executionId);
    if (at === undefined) return undefined;
    this.numberOf.delete(executionId);
    this.entries[at] = undefined;
    this.free.push(at);
    return at;
  }

  number(executionId: string): number | undefined {
    return this.numberOf.get(executionId);
  }

  get size(): number {
    return this.numberOf.size;
  }

  /** A parent that came in late puts an execution under another root. */
  move(executionId: string, to: string): boolean {
    const at = this.numberOf.get(executionId);
    const entry = at === undefined ? undefined : this.entries[at];
    const root = numberFor(to);
    if (at === undefined || !entry || entry.root === root) return false;
    this.entries[at] = { ...entry, root };
    return true;
  }

  /** False where nothing changes. */
  rename(id: string, name: string, owner: string): boolean {
    const known = this.agentOf.get(id);
    const agent = known === undefined ? undefined : this.agents[known];
    if (known === undefined || !agent || (agent.name === name && agent.owner === owner)) return false;
    this.agents[known] = { id, name, owner };
    return true;
  }

  at(number: number): LedgerEntry {
    const entry = this.entries[number];
    if (!entry) throw new Error(`execution ${number} has left the ledger`);
    return entry;
  }

  agent(number: number): { id: string; name: string; owner: string } {
    return this.agents[number] ?? { id: '', name: '', owner: '' };
  }

  /** The latest word on an agent's name and owner holds for all its executions. */
  agentNumber(id: string, name: string, owner: string): number {
    const known = this.agentOf.get(id);
    if (known === undefined) {
      this.agentOf.set(id, this.agents.length);
      this.agents.push({ id, name, owner });
      return this.agents.length - 1;
    }
    this.agents[known] = { id, name, owner };
    return known;
  }
}

/** 52 bits, which a number holds exactly. */
const numberFor = (text: string): number => Number.parseInt(sha256(text).slice(0, 13), 16);
