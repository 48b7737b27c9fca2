import { byId } from '../lessons/retention-candidate.js';

/** The role and department of an agent. */
export interface AgentMembership {
  readonly id: string;
  readonly role: string | null;
  readonly department: string | null;
}

/** Selects the agents that receive a copy of an agent's lesson: at most ten, and never the agent itself. */
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

/** Selects agents of the same role. An agent without a role has no peers. */
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
