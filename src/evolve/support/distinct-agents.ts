import type { Columns } from './ledger.js';

export interface SupportCounts {
  /** Distinct agents on independent tasks, which thresholds are compared with. */
  distinctAgents: number;
  agents: number;
  owners: number;
  /** Different tasks. */
  tasks: number;
  /** Owners on independent tasks: see {@link independentOwners}. */
  independentOwners: number;
}

type Edges<V> = Map<V, Set<V>>;

/**
 * Returns how many owners are independent: a maximum matching in which an owner and an origin each count once. The text of
 * a task and its sources are what the reporter says they are, so twenty titles of one person are one owner; and one task at
 * three owners is one owner, too.
 */
export function independentOwners<V>(owners: ArrayLike<V>, origins: ArrayLike<V>): number {
  const edges: Edges<V> = new Map();
  for (let row = 0; row < owners.length; row += 1) {
    const owner = owners[row];
    if (owner !== undefined && !edges.has(owner)) edges.set(owner, new Set());
  }
  if (edges.size <= 1) return edges.size;
  for (let row = 0; row < owners.length; row += 1) {
    const [owner, origin] = [owners[row], origins[row]];
    if (owner === undefined || origin === undefined) continue;
    // An owner with as many origins as there are owners always gets one, whatever the others take.
    const own = edges.get(owner);
    if (own && own.size < edges.size) own.add(origin);
  }
  return maximumMatching(edges);
}

/**
 * Returns how many different agents on independent tasks support a lesson: a maximum matching in which an agent, an
 * origin, and a parent task with all its sub-agents each count once. So one agent with many reports, or many agents on
 * one poisoned task, count once. All three conditions at once are three-dimensional matching, which is NP-hard. The
 * smallest of the three pairwise matchings is a bound that forging one dimension cannot raise, and that more evidence
 * never lowers.
 *
 * Row `n` of each column is one execution, of a million. If an agent is the only one with one of its origins, a maximum matching may give it that origin, since no other agent
 * competes for it; the same holds for roots. Agents that have both in one execution are counted at once, and only the
 * other agents are matched. For origins against roots, the executions of the counted agents give as many independent
 * pairs. This is enough unless that matching is the smallest one for the rest; then everything is matched.
 */
export function independentSupport(executions: IndependenceColumns): Pick<SupportCounts, 'agents' | 'distinctAgents'> {
  const { agent, origin, root } = executions;
  const [byOrigin, byRoot] = [soleAgents(ORIGINS, agent, origin), soleAgents(ROOTS, agent, root)];
  const settled = AGENTS.of(agent);
  let [agents, counted] = [0, 0];
  for (let row = 0; row < agent.length; row += 1) {
    const own = agent[row] ?? 0;
    const known = settled[own] ?? 0;
    if (known === 0) agents += 1;
    const isSole = byOrigin.sole[origin[row] ?? 0] === own + FIRST && byRoot.sole[root[row] ?? 0] === own + FIRST;
    if (isSole && known !== SETTLED) counted += 1;
    settled[own] = isSole || known === SETTLED ? SETTLED : SEEN;
  }
  const distinct = counted === agents ? agents : matchedAgents(executions, settled, counted);
  for (const row of agent) settled[row] = 0;
  for (const row of origin) byOrigin.sole[row] = 0;
  for (const row of root) byRoot.sole[row] = 0;
  return { agents, distinctAgents: distinct };
}

/** Executions by number: agent, origin of the task, and root of the parent chain. */
export type IndependenceColumns = Pick<Columns, 'agent' | 'origin' | 'root'>;

const [SEEN, SETTLED] = [1, 2];
const SHARED = 1;
/** Offset of agent numbers, since 0 means "none". */
const FIRST = 2;

/** An array that is reused for one count after the other; all zero between uses. */
class ScratchArray {
  private room = new Int32Array(0);

  /** Returns an array that these numbers can index. */
  of(numbers: Int32Array): Int32Array {
    let bound = 0;
    for (const number of numbers) if (number >= bound) bound = number + 1;
    if (bound > this.room.length) this.room = new Int32Array(Math.ceil(1.25 * bound));
    return this.room;
  }
}

const [AGENTS, ORIGINS, ROOTS] = [new ScratchArray(), new ScratchArray(), new ScratchArray()];

/**
 * Maps an origin or root to the only agent that has it (from {@link FIRST} on), or to {@link SHARED} if there are
 * several.
 */
function soleAgents(room: ScratchArray, agents: Int32Array, numbers: Int32Array): { sole: Int32Array } {
  const sole = room.of(numbers);
  for (let row = 0; row < numbers.length; row += 1) {
    const [number, own] = [numbers[row] ?? 0, (agents[row] ?? 0) + FIRST];
    const known = sole[number] ?? 0;
    if (known !== own) sole[number] = known === 0 ? own : SHARED;
  }
  return { sole };
}

function matchedAgents(executions: IndependenceColumns, settled: Int32Array, counted: number): number {
  const rest = matchings(executions, (agent) => settled[agent] === SETTLED);
  const wanted = Math.min(rest.agentOrigin, rest.agentRoot);
  if (rest.originRoot >= wanted) return counted + wanted;
  const all = matchings(executions, () => false);
  return Math.min(all.agentOrigin, all.agentRoot, all.originRoot);
}

function matchings(executions: IndependenceColumns, isLeftOut: (agent: number) => boolean) {
  const agentOrigin: Edges<number> = new Map();
  const agentRoot: Edges<number> = new Map();
  const originRoot: Edges<number> = new Map();
  for (const [row, agent] of executions.agent.entries()) {
    if (isLeftOut(agent)) continue;
    const [origin, root] = [executions.origin[row] ?? 0, executions.root[row] ?? 0];
    link(agentOrigin, agent, origin);
    link(agentRoot, agent, root);
    link(originRoot, origin, root);
  }
  const byAgent = { agentOrigin: maximumMatching(agentOrigin), agentRoot: maximumMatching(agentRoot) };
  // There may be many more origins and roots than agents; values above the smaller matching do not matter.
  const enough = Math.min(byAgent.agentOrigin, byAgent.agentRoot);
  return { ...byAgent, originRoot: maximumMatching(originRoot, enough) };
}

function link<V>(edges: Edges<V>, left: V, right: V): void {
  const known = edges.get(left);
  if (known) known.add(right);
  else edges.set(left, new Set([right]));
}

/**
 * Returns the size of a maximum bipartite matching, or `enough` if that is smaller. Finds augmenting paths breadth
 * first, without recursion, since the input is hostile.
 */
export function maximumMatching<V>(edges: ReadonlyMap<V, ReadonlySet<V>>, enough = Number.POSITIVE_INFINITY): number {
  const ownerOf = new Map<V, V>();
  let size = 0;
  for (const start of edges.keys()) {
    if (augment(start, edges, ownerOf)) size += 1;
    if (size >= enough) return size;
  }
  return size;
}

function augment<V>(start: V, edges: ReadonlyMap<V, ReadonlySet<V>>, ownerOf: Map<V, V>): boolean {
  const reachedFrom = new Map<V, V>();
  const heldBefore = new Map<V, V>();
  const queue = [start];
  for (let head = 0; head < queue.length; head++) {
    const left = queue[head] ?? start;
    for (const right of edges.get(left) ?? []) {
      if (reachedFrom.has(right)) continue;
      reachedFrom.set(right, left);
      const holder = ownerOf.get(right);
      if (holder === undefined) {
        flip(right, reachedFrom, heldBefore, ownerOf);
        return true;
      }
      heldBefore.set(holder, right);
      queue.push(holder);
    }
  }
  return false;
}

function flip<V>(end: V, reachedFrom: ReadonlyMap<V, V>, heldBefore: ReadonlyMap<V, V>, ownerOf: Map<V, V>): void {
  let right: V | undefined = end;
  while (right !== undefined) {
    const left: V | undefined = reachedFrom.get(right);
    if (left === undefined) return;
    ownerOf.set(right, left);
    right = heldBefore.get(left);
  }
}
