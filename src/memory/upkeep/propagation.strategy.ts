import { byId } from '../lessons/kept-lesson.js';

/** Where an agent stands in its organisation. */
export interface AgentPlace {
  readonly id: string;
  readonly role: string | null;
  readonly department: string | null;
}

/** Says to whom a lesson of an agent is copied (spec L8): never to that agent itself, and to ten at most. */
export interface PropagationStrategy {
  readonly type: 'none' | 'role' | 'department';
  targets(source: AgentPlace, agents: readonly AgentPlace[]): string[];
}

export const MOST_TARGETS = 10;

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

  targets(source: AgentPlace, agents: readonly AgentPlace[]): string[] {
    return peers(source, agents, ({ role }) => role);
  }
}

export class DepartmentPropagation implements PropagationStrategy {
  readonly type = 'department';

  targets(source: AgentPlace, agents: readonly AgentPlace[]): string[] {
    return peers(source, agents, ({ department }) => department);
  }
}

export function propagationStrategy(type: PropagationStrategy['type']): PropagationStrategy {
  if (type === 'none') return new NoPropagation();
  return type === 'role' ? new RolePropagation() : new DepartmentPropagation();
}

function peers(
  source: AgentPlace,
  agents: readonly AgentPlace[],
  groupOf: (agent: AgentPlace) => string | null,
): string[] {
  const group = groupOf(source);
  if (group === null) return [];
  return agents
    .filter((agent) => agent.id !== source.id && groupOf(agent) === group)
    .sort(byId)
    .slice(0, MOST_TARGETS)
    .map(({ id }) => id);
}
