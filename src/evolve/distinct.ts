import type { Support } from '../capture/observation.js';

export interface SupportCounts {
  /** Distinct agents on independent tasks: what thresholds are compared with. */
  distinctAgents: number;
  agents: number;
  owners: number;
  origins: number;
}

type Edges = Map<string, Set<string>>;

/**
 * How many different agents on independent tasks stand behind a pattern (spec E1.3; threats 7.16 and 7.17): a maximum
 * matching in which an agent counts once, an origin counts once and a parent task with all its sub-agents counts once.
 *
 * Demanding all three at once is three-dimensional matching, which is NP-hard; the smallest of the three pairwise
 * matchings is a bound that one forged dimension cannot raise, and that more evidence never lowers.
 */
export function distinctAgents(supports: Iterable<Support>): number {
  const agentOrigin: Edges = new Map();
  const agentRoot: Edges = new Map();
  const originRoot: Edges = new Map();
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

function link(edges: Edges, left: string, right: string): void {
  const known = edges.get(left);
  if (known) known.add(right);
  else edges.set(left, new Set([right]));
}

/** Size of a maximum bipartite matching, by augmenting paths found breadth first (no recursion: input is hostile). */
export function maximumMatching(edges: ReadonlyMap<string, ReadonlySet<string>>): number {
  const ownerOf = new Map<string, string>();
  let size = 0;
  for (const start of edges.keys()) {
    if (augment(start, edges, ownerOf)) size += 1;
  }
  return size;
}

function augment(
  start: string,
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  ownerOf: Map<string, string>,
): boolean {
  const reachedFrom = new Map<string, string>();
  const heldBefore = new Map<string, string>();
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

function flip(
  end: string,
  reachedFrom: ReadonlyMap<string, string>,
  heldBefore: ReadonlyMap<string, string>,
  ownerOf: Map<string, string>,
): void {
  let right: string | undefined = end;
  while (right !== undefined) {
    const left: string = reachedFrom.get(right) ?? '';
    ownerOf.set(right, left);
    right = heldBefore.get(left);
  }
}
