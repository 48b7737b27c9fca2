/**
 * The import cycles of a graph, one for each group of files that reach each other: the shortest way from the first file
 * of the group back to itself, as a list of files. `graph` maps a file to the files that it imports.
 */
export function findCycles(graph) {
  const cycles = [];
  const settled = new Set();
  for (const start of [...graph.keys()].sort()) {
    if (settled.has(start)) continue;
    const cycle = shortestWayBack(graph, start);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const file of reachable(graph, start)) if (reachable(graph, file).has(start)) settled.add(file);
  }
  return cycles;
}

/** Breadth first, so that the first way found is a shortest one. */
function shortestWayBack(graph, start) {
  const cameFrom = new Map();
  const queue = [start];
  for (const file of queue) {
    for (const next of graph.get(file) ?? []) {
      if (next === start) return wayTo(file, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(file, cameFrom) {
  const way = [];
  for (let at = file; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}

function reachable(graph, start) {
  const seen = new Set([start]);
  for (const file of seen) for (const next of graph.get(file) ?? []) seen.add(next);
  return seen;
}
