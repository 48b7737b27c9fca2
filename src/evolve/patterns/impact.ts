import type { EvidenceCounts } from '../evidence/pattern-evidence.js';

/** Failures in the window × agents: the order of the queue (spec E3). */
export const impactOf = ({ failures, distinctAgents }: EvidenceCounts): number => failures * distinctAgents;

/** Spec E1.3. */
export const meetsThresholds = (
  { distinctAgents, owners }: EvidenceCounts,
  { minAgentsForPattern, minOwnersForPattern }: { minAgentsForPattern: number; minOwnersForPattern: number },
): boolean => distinctAgents >= minAgentsForPattern && owners >= minOwnersForPattern;
