import type { EvidenceCounts } from './pattern-evidence.js';

/** Returns the failures in the window times distinct agents, which orders the queue. */
export const impactOf = ({ failures, distinctAgents }: EvidenceCounts): number => failures * distinctAgents;
