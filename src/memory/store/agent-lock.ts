/**
 * The advisory lock, with the hash of an agent's id, under which lessons and entries of that agent are stored, counted and
 * ended. Arbitrary, but different from every other one of this program.
 */
export const AGENT_MEMORY_LOCK = 7_240_019;
