import { Injectable } from '@nestjs/common';
import { AgentResolver } from '../../access/identity/agent-resolver.service.js';
import type { Caller } from '../../access/identity/caller.js';
import type { AdminActor, AgentActor, OwnerActor } from '../../journal/actor.js';
import { memoryKeeper } from '../../memory/lessons/memory-keeping.service.js';
import { Database } from '../../platform/database/database.js';
import { type EntryReader, SessionEntryRepository } from './session-entry.repository.js';
import { projectLabelOf } from './stored-entry.js';

/** The agent whose memory is used, and who uses it. */
export interface MemoryUser {
  readonly agent: { readonly id: string; readonly name: string; readonly owner: string | null };
  readonly actor: AgentActor | OwnerActor | AdminActor;
}

/** Decides whose session memory a caller reads and writes: an agent its own, a person that of the agents they own. */
@Injectable()
export class EntryAccess {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentResolver,
    private readonly entries: SessionEntryRepository,
  ) {}

  /** Throws `forbidden` for the agent of another person, unless the caller is an administrator. */
  async resolve(caller: Caller, agentName: string | undefined): Promise<MemoryUser> {
    const { id, name } = await this.agents.resolve(caller, agentName);
    const agent = { id, name, owner: (await this.entries.agentOf(this.database.client, id))?.owner ?? null };
    return { agent, actor: caller.kind === 'agent' ? { kind: 'agent', id, name } : memoryKeeper(caller, agent.owner) };
  }

  readerOf({ agent }: MemoryUser, project: string | undefined): EntryReader {
    const label = projectLabelOf(project);
    return { agentId: agent.id, owner: agent.owner, projects: label === null ? undefined : [label] };
  }
}
