import { Injectable } from '@nestjs/common';
import { MemoryReading } from '../../memory/store/memory-reading.service.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { NOTHING_TOLD, SessionTold, type ToldBefore } from '../ranking/session-told.js';
import { ModelHelp } from '../search/model-help.service.js';

/** Sessions that are remembered at once; the one that was not asked for longest gives way, and is read again. */
const MOST_SESSIONS = 1_000;

/** What sessions were told already: as the database has it when one is first asked for, and from then on as it is told. */
@Injectable()
export class Sessions {
  private readonly known = new FifoCache<Promise<SessionTold>>(MOST_SESSIONS);

  constructor(
    private readonly memories: MemoryReading,
    private readonly help: ModelHelp,
  ) {}

  /** What is left out of what a session is told: where it asks for news only, and where a model selects (spec R3). */
  toldBefore(agentId: string, sessionId: string | undefined, newOnly: boolean): Promise<ToldBefore> {
    if (sessionId === undefined || !(newOnly || this.help.selects)) return Promise.resolve(NOTHING_TOLD);
    return this.of(agentId, sessionId);
  }

  of(agentId: string, sessionId: string): Promise<SessionTold> {
    const key = keyOf(agentId, sessionId);
    const session = this.known.get(key) ?? this.read(agentId, sessionId);
    // The youngest again.
    this.known.set(key, session);
    session.catch(() => this.known.delete(key));
    return session;
  }

  /** Whoever never asked for what a session was told gets it from the database when they do. */
  async note(agentId: string, sessionId: string, ids: readonly string[], bytes: number): Promise<void> {
    (await this.known.get(keyOf(agentId, sessionId)))?.add(ids, bytes);
  }

  /** Sessions are stored redacted. */
  private async read(agentId: string, sessionId: string): Promise<SessionTold> {
    return new SessionTold(await this.memories.toldIn(agentId, redact(sessionId).text));
  }
}

const keyOf = (agentId: string, sessionId: string): string => `${agentId} ${sessionId}`;
