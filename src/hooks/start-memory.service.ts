import { Inject, Injectable } from '@nestjs/common';
import { NO_PROJECT } from '../capture/report/agent-name.js';
import type { Config } from '../platform/config/config.js';
import { IdentifierReferences } from '../platform/database/identifier-references.service.js';
import { CONFIG } from '../platform/platform.module.js';
import { RecallService } from '../recall/strategies/recall.service.js';
import { PREAMBLE } from '../sessions/entries/preamble.js';
import { SessionLifecycle } from '../sessions/store/session-lifecycle.service.js';
import { SessionMemoryReader } from '../sessions/store/session-memory-reader.service.js';
import type { WaitingSession } from './failure-advice.service.js';
import { type HookAnswer, NOTHING } from './hook-answer.js';
import type { Place } from './place.js';

/**
 * What a session receives at its start of the agent's own memory: its core notes, and the preamble of the project. The
 * same memory gives the same text on one day, byte for byte, so that prompt caches hold.
 */
@Injectable()
export class StartMemory {
  private readonly bytes: number;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly lifecycle: SessionLifecycle,
    private readonly memory: SessionMemoryReader,
    private readonly recall: RecallService,
    private readonly references: IdentifierReferences,
  ) {
    this.bytes = config.sessionPreambleBytes;
  }

  /** `owner`: the stated owner of the agent. */
  async answer({ agent, id }: WaitingSession, owner: string | null, place: Place): Promise<HookAnswer> {
    const core = await this.recall.coreMemory(agent, id, this.references.keyOf(`core ${agent.id}`));
    const preamble = this.bytes === 0 ? '' : await this.preamble({ agent, id }, owner, place);
    const text = [core, preamble].filter((part) => part !== '').join('\n');
    return text === '' ? NOTHING : { kind: 'text', text };
  }

  private async preamble(
    { agent, id }: Pick<WaitingSession, 'agent' | 'id'>,
    owner: string | null,
    place: Place,
  ): Promise<string> {
    // A session whose program died gets its summary now, so that it stands in the preamble.
    await this.lifecycle.summariseOpen(agent.id, id);
    const projects = place.projects.filter((project) => project !== NO_PROJECT);
    const reader = { agentId: agent.id, owner, projects };
    return this.memory.preambleFor(reader, { ...PREAMBLE, bytes: this.bytes });
  }
}
