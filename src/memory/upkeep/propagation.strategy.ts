import { byId } from '../lessons/retention-candidate.js';

/** Where an agent stands in its organisation. */
export interface AgentMembership {
  readonly id: string;
  readonly role: string | null;
  readonly department: string | null;
}

/** Says to whom a lesson of an agent is copied (spec L8): never to that agent itself, and to ten at most. */
export interface PropagationStrategy {
  readonly type: 'none' | 'role' | 'department';
  targets(source: AgentMembership, agents: readonly AgentMembership[]): string[];
}

export const MAX_TARGETS = 10;

/** The control tag of a copy. */
export const propagatedFrom = (agentId: string): string => `propagated:${agentId}`;

export class NoPropagation implements PropagationStrategy {
  readonly type = 'none';

  targets(): string[] {
    return [];
  }
}

/** To the agents of the same role. Agents without one have nothing in common. */
export class RolePropagation implements PropagationStrategy {
  readonly type = 'role';

  targets(source: AgentMembership, agents: readonly AgentMembership[]): string[] {
    return peers(source, agents, ({ role }) => role);
  }
}

export class DepartmentPropagation implements PropagationStrategy {
  readonly type = 'department';

  targets(source: AgentMembership, agents: readonly AgentMembership[]): string[] {
    return peers(source, agents, ({ department }) => department);
  }
}

export function propagationStrategy(type: PropagationStrategy['type']): PropagationStrategy {
  if (type === 'none') return new NoPropagation();
  return type === 'role' ? new RolePropagation() : new DepartmentPropagation();
}

function peers(
  source: AgentMembership,
  agents: readonly AgentMembership[],
  groupOf: (agent: AgentMembership) => string | null,
): string[] {
  const group = groupOf(source);
  if (group === null) return [];
  return agents
    .filter((agent) => agent.id !== source.id && groupOf(agent) === group)
    .sort(byId)
    .slice(0, MAX_TARGETS)
    .map(({ id }) => id);
}
