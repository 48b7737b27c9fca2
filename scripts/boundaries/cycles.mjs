/**
 * Returns the import cycles of a graph, one for each group of files that reach each other: the shortest path from the
 * first file of the group back to itself, as a list of files. `graph` maps a file to the files that it imports.
 */
export function findCycles(graph) {
  const cycles = [];
  const settled = new Set();
  for (const start of [...graph.keys()].sort()) {
    if (settled.has(start)) continue;
    const cycle = shortestCycle(graph, start);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const file of reachable(graph, start)) if (reachable(graph, file).has(start)) settled.add(file);
  }
  return cycles;
}

/** Searches breadth first, so that the first path found is a shortest one. */
function shortestCycle(graph, start) {
  const predecessors = new Map();
  const queue = [start];
  for (const file of queue) {
    for (const next of graph.get(file) ?? []) {
      if (next === start) return pathTo(file, predecessors);
      if (predecessors.has(next)) continue;
      predecessors.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(file, predecessors) {
  const path = [];
  for (let at = file; at !== undefined; at = predecessors.get(at)) path.unshift(at);
  return path;
}

function reachable(graph, start) {
  const seen = new Set([start]);
  for (const file of seen) for (const next of graph.get(file) ?? []) seen.add(next);
  return seen;
}
