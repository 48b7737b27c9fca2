import { Injectable } from '@nestjs/common';
import { type AgentIdentity, AgentResolver } from '../../access/identity/agent-resolver.service.js';
import type { Caller } from '../../access/identity/caller.js';
import type { AdminActor, AgentActor, OwnerActor } from '../../journal/actor.js';
import { memoryKeeper } from '../../memory/lessons/memory-keeping.service.js';
import type { EntryReader } from './session-entry.repository.js';
import { projectLabelOf } from './stored-entry.js';

/** The agent whose memory is used, and who uses it. */
export interface MemoryUser {
  readonly agent: AgentIdentity;
  readonly actor: AgentActor | OwnerActor | AdminActor;
}

/** Decides whose session memory a caller reads and writes: an agent its own, a person that of the agents they own. */
@Injectable()
export class EntryAccess {
  constructor(private readonly agents: AgentResolver) {}

  /** Throws `forbidden` for the agent of another person, unless the caller is an administrator. */
  async resolve(caller: Caller, agentName: string | undefined): Promise<MemoryUser> {
    const agent = await this.agents.resolve(caller, agentName);
    const { id, name, owner } = agent;
    return { agent, actor: caller.kind === 'agent' ? { kind: 'agent', id, name } : memoryKeeper(caller, owner) };
  }

  /** What the agent reads in a project. Throws as {@link resolve}. */
  async reader(
    caller: Caller,
    of: { readonly agent?: string | undefined; readonly project?: string | undefined },
  ): Promise<EntryReader> {
    const { agent } = await this.resolve(caller, of.agent);
    const label = projectLabelOf(of.project);
    return { agentId: agent.id, owner: agent.owner, projects: label === null ? undefined : [label] };
  }
}
