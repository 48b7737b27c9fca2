import type { Support } from '../capture/observation.js';

export interface SupportCounts {
  /** Distinct agents on independent tasks: what thresholds are compared with. */
  distinctAgents: number;
  agents: number;
  owners: number;
  origins: number;
}

type Edges<V> = Map<V, Set<V>>;

/**
 * How many different agents on independent tasks stand behind a pattern (spec E1.3; threats 7.16 and 7.17): a maximum
 * matching in which an agent counts once, an origin counts once and a parent task with all its sub-agents counts once.
 *
 * Demanding all three at once is three-dimensional matching, which is NP-hard; the smallest of the three pairwise
 * matchings is a bound that one forged dimension cannot raise, and that more evidence never lowers.
 */
export function distinctAgents(supports: Iterable<Support>): number {
  const agentOrigin: Edges<string> = new Map();
  const agentRoot: Edges<string> = new Map();
  const originRoot: Edges<string> = new Map();
  for (const s of supports) {
    link(agentOrigin, s.agentId, s.origin);
    link(agentRoot, s.agentId, s.root);
    link(originRoot, s.origin, s.root);
  }
  return Math.min(maximumMatching(agentOrigin), maximumMatching(agentRoot), maximumMatching(originRoot));
}

/** The counts that a reviewer is shown: "5 agents, 1 owner, 4 origins". */
export function supportCounts(supports: readonly Support[]): SupportCounts {
  return {
    distinctAgents: distinctAgents(supports),
    agents: new Set(supports.map((s) => s.agentId)).size,
    owners: new Set(supports.map((s) => s.owner)).size,
    origins: new Set(supports.map((s) => s.origin)).size,
  };
}

/** An execution by numbers: who, on which task text, under which parent task. */
export interface Independence {
  readonly agent: number;
  readonly origin: number;
  readonly root: number;
}

/**
 * {@link distinctAgents} for a million executions, and exactly the same. An agent that alone has one of its origins can
 * take it in a largest matching: nobody else wants it (and so with roots). Those who have both in one execution are
 * counted; only what the others have is matched. For origins against roots, their executions give as many pairs that
 * have nothing to do with the rest, which is enough unless that matching is the smallest in the rest: then all is matched.
 */
export function independent(supports: readonly Independence[]): Omit<SupportCounts, 'owners'> {
  const [byOrigin, byRoot] = [soleAgents(supports, 'origin'), soleAgents(supports, 'root')];
  const agents = new Set(supports.map(({ agent }) => agent)).size;
  const settled = new Set<number>();
  for (const { agent, origin, root } of supports)
    if (byOrigin.get(origin) === agent && byRoot.get(root) === agent) settled.add(agent);
  const counts = { agents, origins: byOrigin.size };
  if (settled.size === agents) return { ...counts, distinctAgents: agents };
  const rest = matchings(supports.filter(({ agent }) => !settled.has(agent)));
  const wanted = Math.min(rest.agentOrigin, rest.agentRoot);
  if (rest.originRoot >= wanted) return { ...counts, distinctAgents: settled.size + wanted };
  const all = matchings(supports);
  return { ...counts, distinctAgents: Math.min(all.agentOrigin, all.agentRoot, all.originRoot) };
}

/** Origin or root → the only agent that has it, or -1 where there are several. */
function soleAgents(supports: readonly Independence[], by: 'origin' | 'root'): Map<number, number> {
  const sole = new Map<number, number>();
  for (const support of supports) {
    const known = sole.get(support[by]);
    if (known === undefined) sole.set(support[by], support.agent);
    else if (known !== support.agent) sole.set(support[by], -1);
  }
  return sole;
}

function matchings(supports: readonly Independence[]) {
  const agentOrigin: Edges<number> = new Map();
  const agentRoot: Edges<number> = new Map();
  const originRoot: Edges<number> = new Map();
  for (const { agent, origin, root } of supports) {
    link(agentOrigin, agent, origin);
    link(agentRoot, agent, root);
    link(originRoot, origin, root);
  }
  const byAgent = { agentOrigin: maximumMatching(agentOrigin), agentRoot: maximumMatching(agentRoot) };
  // Of origins and roots there may be many more than agents; what lies above the smaller one says nothing.
  const enough = Math.min(byAgent.agentOrigin, byAgent.agentRoot);
  return { ...byAgent, originRoot: maximumMatching(originRoot, enough) };
}

function link<V>(edges: Edges<V>, left: V, right: V): void {
  const known = edges.get(left);
  if (known) known.add(right);
  else edges.set(left, new Set([right]));
}

/** Size of a maximum bipartite matching, or `enough` where it is larger, by augmenting paths found breadth first (no recursion: input is hostile). */
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
