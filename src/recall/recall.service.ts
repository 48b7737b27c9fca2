import { Injectable } from '@nestjs/common';
import { Agents } from '../access/agents.service.js';
import type { Caller } from '../access/caller.js';
import type { MemoryEntry } from '../memory/memory.schema.js';
import { DomainError } from '../platform/domain.errors.js';
import { Ids } from '../platform/ids.js';
import { ContextStrategy } from './context.strategy.js';
import type { Recall, RecallRequest, ShownMemory } from './recall.schema.js';
import { renderWhole } from './rendering.js';
import { Retrievals } from './retrievals.service.js';

/** What an agent is told for its task. */
@Injectable()
export class Recalling {
  constructor(
    private readonly agents: Agents,
    private readonly context: ContextStrategy,
    private readonly retrievals: Retrievals,
    private readonly ids: Ids,
  ) {}

  /** People and services see what the agent would be told, and it counts as told only when the agent asks itself. */
  async recall(caller: Caller, request: RecallRequest): Promise<Recall> {
    const { query, sessionId, agent: named, ...options } = request;
    const agent = await this.agents.askedFor(caller, named);
    const recollection = await this.context.prepareMessages({ agent, text: query, ...options });
    if (caller.kind === 'agent')
      this.retrievals.note({
        agent: { kind: 'agent', id: agent.id, name: agent.name },
        sessionId,
        strategy: this.context.name,
        ids: recollection.told.map(({ entry }) => entry.id),
      });
    return {
      strategy: this.context.name,
      agent: agent.name,
      messages: [...recollection.messages],
      memories: recollection.told.map(({ entry, rank }) => ({ ...shown(entry), ...rank })),
      leftOut: recollection.leftOut.map(({ entry, because }) => ({ ...shown(entry), because })),
      tokens: recollection.tokens,
      warnings: [...recollection.warnings],
    };
  }

  /** One memory whole. What an agent reads counts as told. Throws `not_found`, also for what it cannot see. */
  async show(caller: Caller, id: string, sessionId?: string): Promise<ShownMemory> {
    const agent = await this.agents.askedFor(caller, undefined);
    const entry = await this.context.one(agent, id);
    if (!entry) throw new DomainError('not_found', 'memory.not_found', `There is no memory ${id} that you can see.`);
    this.retrievals.note({
      agent: { kind: 'agent', id: agent.id, name: agent.name },
      sessionId,
      strategy: 'tool',
      ids: [entry.id],
    });
    return { ...shown(entry), content: renderWhole(entry, this.ids.nonce(16)) };
  }
}

function shown({ id, scope, provenance, lesson, skillName, version, createdAt }: MemoryEntry) {
  return { id, scope, provenance, discovery: lesson.discovery, skillName, version, createdAt };
}
