import { Injectable } from '@nestjs/common';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { type DeliveredBefore, NOTHING_DELIVERED, SessionHistory } from '../ranking/session-history.js';
import { RecallAssistant } from '../search/recall-assistant.service.js';

/** Sessions that are remembered at once; the one that was not asked for longest gives way, and is read again. */
const MAX_SESSIONS = 1_000;

/** What sessions were told already: as the database has it when one is first asked for, and from then on as it is told. */
@Injectable()
export class SessionHistories {
  private readonly histories = new FifoCache<Promise<SessionHistory>>(MAX_SESSIONS);

  constructor(
    private readonly memories: MemoryReadService,
    private readonly assistant: RecallAssistant,
  ) {}

  /** What is left out of what a session is told: where it asks for news only, and where a model selects (spec R3). */
  deliveredBefore(agentId: string, sessionId: string | undefined, newOnly: boolean): Promise<DeliveredBefore> {
    if (sessionId === undefined || !(newOnly || this.assistant.usesSelector)) return Promise.resolve(NOTHING_DELIVERED);
    return this.historyOf(agentId, sessionId);
  }

  historyOf(agentId: string, sessionId: string): Promise<SessionHistory> {
    const key = keyOf(agentId, sessionId);
    const session = this.histories.get(key) ?? this.read(agentId, sessionId);
    // The youngest again.
    this.histories.set(key, session);
    session.catch(() => this.histories.delete(key));
    return session;
  }

  /** Whoever never asked for what a session was told gets it from the database when they do. */
  async recordDelivery(agentId: string, sessionId: string, ids: readonly string[], bytes: number): Promise<void> {
    (await this.histories.get(keyOf(agentId, sessionId)))?.add(ids, bytes);
  }

  /** Sessions are stored redacted. */
  private async read(agentId: string, sessionId: string): Promise<SessionHistory> {
    return new SessionHistory(await this.memories.deliveredIn(agentId, redact(sessionId).text));
  }
}

const keyOf = (agentId: string, sessionId: string): string => `${agentId} ${sessionId}`;
