/**
 * The advisory locks, each with the hash of an agent's id, under which lessons and entries of that agent are stored, counted
 * and ended, in the order in which they are taken. Arbitrary, but different from every other one of this program. The
 * version before takes the first one for entries and the second one for lessons; the next version drops the first one.
 */
export const AGENT_MEMORY_LOCKS = [7_240_025, 7_240_019];
