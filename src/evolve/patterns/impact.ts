import type { EvidenceCounts } from '../evidence/pattern-evidence.js';

/** Returns the failures in the window times distinct agents, which orders the queue. */
export const impactOf = ({ failures, distinctAgents }: EvidenceCounts): number => failures * distinctAgents;

/** Returns whether enough distinct agents and owners support a pattern. */
export const meetsThresholds = (
  { distinctAgents, owners }: EvidenceCounts,
  { minAgentsForPattern, minOwnersForPattern }: { minAgentsForPattern: number; minOwnersForPattern: number },
): boolean => distinctAgents >= minAgentsForPattern && owners >= minOwnersForPattern;
