import { Injectable } from '@nestjs/common';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { type DeliveredBefore, NOTHING_DELIVERED, SessionHistory } from '../ranking/session-history.js';
import { RecallAssistant } from '../search/recall-assistant.service.js';

/** Maximum cached sessions. The least recently used one is evicted and read again when needed. */
const MAX_SESSIONS = 1_000;

/** The memories delivered in each session: read from the database at first use, then updated with each delivery. */
@Injectable()
export class SessionHistories {
  private readonly histories = new FifoCache<Promise<SessionHistory>>(MAX_SESSIONS);

  constructor(
    private readonly memories: MemoryReadService,
    private readonly assistant: RecallAssistant,
    private readonly references: IdentifierReferences,
  ) {}

  /**
   * The memories to omit: those of the session, if the caller asks for new ones only or a model selects. Throws `invalid`
   * if it asks for new ones without a session.
   */
  async deliveredBefore(agentId: string, sessionId: string | undefined, newOnly: boolean): Promise<DeliveredBefore> {
    if (newOnly && sessionId === undefined)
      throw new DomainError('invalid', 'recall.session_missing', 'sessionId: is required with newOnly.', [
        { field: 'sessionId', message: 'is required with newOnly' },
      ]);
    if (sessionId === undefined || !(newOnly || this.assistant.usesSelector)) return NOTHING_DELIVERED;
    return this.historyOf(agentId, sessionId);
  }

  historyOf(agentId: string, sessionId: string): Promise<SessionHistory> {
    const key = keyOf(agentId, sessionId);
    const session = this.histories.get(key) ?? this.read(agentId, sessionId);
    // Moves the session to the end of the eviction order.
    this.histories.set(key, session);
    session.catch(() => this.histories.delete(key));
    return session;
  }

  /** Updates a cached session. Other sessions are read from the database when they are needed. */
  async recordDelivery(agentId: string, sessionId: string, ids: readonly string[], bytes: number): Promise<void> {
    (await this.histories.get(keyOf(agentId, sessionId)))?.add(ids, bytes);
  }

  /** Reads a session. Session ids are stored as references. */
  private async read(agentId: string, sessionId: string): Promise<SessionHistory> {
    return new SessionHistory(await this.memories.deliveredIn(agentId, this.references.of(sessionId)));
  }
}

const keyOf = (agentId: string, sessionId: string): string => `${agentId} ${sessionId}`;
