import { Injectable } from '@nestjs/common';
import type { AgentIdentity } from '../access/agents.service.js';
import type { MemoryEntry } from '../memory/memory.schema.js';
import { MemoryReading } from '../memory/memory-reading.service.js';
import type { Reader } from '../memory/readable.js';
import { Clock } from '../platform/clock.js';
import { Ids } from '../platform/ids.js';
import { isFor } from '../skills/audience.js';
import { Rollouts } from '../skills/rollouts.service.js';
import { MemorySearch } from './memory-index.service.js';
import { type Found, type Recollection, recollect } from './recollection.js';
import type { RecallQuery, RecallStrategy, ToolDefinition } from './strategy.js';

/** More is looked at than is told, so that what is filtered or repeats has something behind it (spec R2: three times). */
const OVERFETCH = 3;
const NONCE_BYTES = 16;

/** Memories are put before the model, chosen for its task (spec R2). It is given no tools. */
@Injectable()
export class ContextStrategy implements RecallStrategy {
  readonly name = 'context';

  constructor(
    private readonly search: MemorySearch,
    private readonly memories: MemoryReading,
    private readonly rollouts: Rollouts,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  toolDefinitions(): readonly ToolDefinition[] {
    return [];
  }

  async prepareMessages(query: RecallQuery): Promise<Recollection> {
    const { agent, limit, tokenBudget, diversify, role } = query;
    const reader: Reader = { agentId: agent.id, role: agent.role, department: agent.department };
    const found = await this.find(reader, query.text, limit * OVERFETCH);
    const nonce = this.ids.nonce(NONCE_BYTES);
    return recollect(found, {
      agentId: agent.id,
      now: this.clock.now(),
      tokenBudget,
      limit,
      diversify,
      role,
      nonce,
    });
  }

  /** One memory that the agent sees; undefined where there is none. */
  async one(agent: AgentIdentity, id: string): Promise<MemoryEntry | undefined> {
    const reader: Reader = { agentId: agent.id, role: agent.role, department: agent.department };
    return (await this.readable(reader, [id]))[0];
  }

  /** The index proposes; the database says what is live, and whether this reader may see it. */
  private async find(reader: Reader, text: string, limit: number): Promise<Found[]> {
    const hits = await this.search.search(reader, text, limit);
    if (hits.length === 0) return [];
    const ids = hits.map(({ id }) => id);
    const byId = new Map((await this.readable(reader, ids)).map((entry) => [entry.id, entry]));
    return hits.flatMap(({ id, relevance }) => {
      const entry = byId.get(id);
      return entry ? [{ entry, relevance }] : [];
    });
  }

  private async readable(reader: Reader, ids: readonly string[]): Promise<MemoryEntry[]> {
    const [entries, heldBack] = await Promise.all([this.memories.visible(reader, ids), this.rollouts.heldBack()]);
    return entries.filter(
      ({ id, skillName }) =>
        skillName === null || isFor({ agentId: reader.agentId }, heldBack.get(id) ?? 100, skillName),
    );
  }
}
