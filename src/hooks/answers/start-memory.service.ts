import { Inject, Injectable } from '@nestjs/common';
import { NO_PROJECT } from '../../capture/report/agent-name.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { PREAMBLE } from '../../sessions/entries/preamble.js';
import { SessionLifecycle } from '../../sessions/store/session-lifecycle.service.js';
import { SessionMemoryReader } from '../../sessions/store/session-memory-reader.service.js';
import type { Place } from '../advice/place.js';
import { type HookAnswer, NOTHING } from '../dialects/hook-answer.js';
import type { WaitingSession } from './failure-advice.service.js';

/**
 * What a session receives at its start of the agent's session memory: the preamble of the project. The same memory gives
 * the same text, byte for byte, so that prompt caches hold.
 */
@Injectable()
export class StartMemory {
  private readonly bytes: number;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly lifecycle: SessionLifecycle,
    private readonly memory: SessionMemoryReader,
  ) {
    this.bytes = config.sessionPreambleBytes;
  }

  /** `owner`: the stated owner of the agent. */
  async answer({ agent, id }: WaitingSession, owner: string | null, place: Place): Promise<HookAnswer> {
    if (this.bytes === 0) return NOTHING;
    // A session whose program died gets its summary now, so that it stands in the preamble.
    await this.lifecycle.summariseOpen(agent.id, id);
    const projects = place.projects.filter((project) => project !== NO_PROJECT);
    const reader = { agentId: agent.id, owner, projects };
    const text = await this.memory.preambleFor(reader, { ...PREAMBLE, bytes: this.bytes });
    return text === '' ? NOTHING : { kind: 'text', text };
  }
}
