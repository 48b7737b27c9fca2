import { sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import { byId } from '../lessons/retention-candidate.js';

/** The role and department of an agent. */
export interface AgentMembership {
  readonly id: string;
  readonly role: string | null;
  readonly department: string | null;
}

/** Selects the agents that may receive a copy of an agent's lesson, by id; never the agent itself. */
export interface PropagationStrategy {
  readonly type: 'none' | 'role' | 'department';
  peers(source: AgentMembership, agents: readonly AgentMembership[]): string[];
}

/** The control tag of a copy. */
export const propagatedFrom = (agentId: string): string => `propagated:${agentId}`;

/** `role` and `department`: agents of the same one. An agent without it has no peers. */
export function propagationStrategy(type: PropagationStrategy['type']): PropagationStrategy {
  const groupOf = (agent: AgentMembership): string | null => (type === 'none' ? null : agent[type]);
  const peers: PropagationStrategy['peers'] = (source, agents) => {
    const group = groupOf(source);
    if (group === null) return [];
    return agents
      .filter((agent) => agent.id !== source.id && groupOf(agent) === group)
      .sort(byId)
      .map(({ id }) => id);
  };
  return { type, peers };
}

/**
 * Orders the peers for one lesson: by a hash of both ids (rendezvous hashing). The first ones receive the copies, so each
 * lesson has its own, every peer comes first for its share of the lessons, and the order is the same in every run.
 */
export function inTurn(lessonId: string, peers: readonly string[]): string[] {
  const places = new Map(peers.map((id) => [id, sha256(`${lessonId} ${id}`)]));
  const placeOf = (id: string): string => places.get(id) ?? '';
  return [...peers].sort((a, b) => compareText(placeOf(a), placeOf(b)) || compareText(a, b));
}
