import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { HookFacts } from '../hook-events/hook-event.js';
import { hooksFormatOf } from '../hook-events/hooks.importer.js';
import { HOOK_PRODUCTS } from '../hook-events/products.js';
import { StoredSessionRepository } from './stored-session.repository.js';

/** A session whose events are stored until it is reported. */
export interface StoredSession {
  /** Row of its fragments. */
  readonly assembly: string;
  /** Nothing of it was stored before the event at hand. */
  readonly isNew: boolean;
}

const HOOK_FORMATS = HOOK_PRODUCTS.map((product) => hooksFormatOf(product).format);

/** Places and calls of a session that are read, the newest ones. */
const MOST = { places: 100, calls: 500 } as const;

/** What the stored events of a session say, for a process that did not receive them itself. */
@Injectable()
export class StoredSessions {
  constructor(
    private readonly database: Database,
    private readonly sessions: StoredSessionRepository,
  ) {}

  /** Whether hooks of the agent reported within a day, as long as the events of a session are stored. */
  ofHooks(agentId: string): Promise<boolean> {
    return this.sessions.existsOfHooks(this.database.client, agentId, HOOK_FORMATS);
  }

  /** Where the session ran, the last place last. */
  async places({ assembly, isNew }: StoredSession): Promise<Pick<HookFacts, 'project' | 'environment'>[]> {
    return isNew ? [] : this.sessions.places(this.database.client, assembly, MOST.places);
  }

  /** The calls of the session before they ran, each once, the last ones first. */
  async comingCalls({ assembly, isNew }: StoredSession): Promise<NonNullable<HookFacts['tool']>[]> {
    return isNew ? [] : this.sessions.comingCalls(this.database.client, assembly, MOST.calls);
  }
}
