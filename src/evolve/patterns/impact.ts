import type { EvidenceCounts } from '../evidence/pattern-evidence.js';

/** Returns the failures in the window times distinct agents, which orders the queue. */
export const impactOf = ({ failures, distinctAgents }: EvidenceCounts): number => failures * distinctAgents;

/** Returns whether enough distinct agents, and owners with independent origins, support a pattern. */
export const meetsThresholds = (
  { distinctAgents, origins }: EvidenceCounts,
  { minAgentsForPattern, minOwnersForPattern }: { minAgentsForPattern: number; minOwnersForPattern: number },
): boolean => distinctAgents >= minAgentsForPattern && origins >= minOwnersForPattern;
