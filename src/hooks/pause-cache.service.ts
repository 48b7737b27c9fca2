import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { FreshCache } from '../platform/background/fresh-cache.js';
import { Clock } from '../platform/base/clock.js';
import { IdentifierReferences } from '../platform/database/identifier-references.service.js';
import { isPausedBy, type PausableSession, type PausedSessions } from '../skills/delivery/delivery-pause.js';
import { DeliveryPauses } from '../skills/delivery/delivery-pauses.service.js';

/** A pause, or its end, in any process has an effect within this time. */
const MAX_STALENESS_MS = 1_000;

/** `sessionIds`: in the words of the product, and as a reference. */
type WorkingSession = Omit<PausableSession, 'sessions'> & { readonly sessionIds: readonly string[] };

/** The pauses in force in memory, so that an event costs no query of them. */
@Injectable()
export class PauseCache implements OnApplicationBootstrap {
  private readonly fresh: FreshCache<readonly PausedSessions[]>;

  constructor(
    private readonly clock: Clock,
    private readonly references: IdentifierReferences,
    pauses: DeliveryPauses,
  ) {
    this.fresh = new FreshCache(
      // Not stale at each transaction of this process: every event is one.
      () => ({ at: clock.now().getTime(), endedTransactions: 0 }),
      MAX_STALENESS_MS,
      () => pauses.inForce(),
    );
  }

  /** Read before the first event, which must not wait for it. */
  async onApplicationBootstrap(): Promise<void> {
    await this.fresh.get();
  }

  /** Returns whether the session receives nothing now. */
  async covers({ sessionIds, ...rest }: WorkingSession): Promise<boolean> {
    const pauses = await this.fresh.get();
    if (pauses.length === 0) return false;
    const session = { ...rest, sessions: sessionIds.map((id) => this.references.of(id)) };
    const now = this.clock.now();
    return pauses.some((pause) => isPausedBy(pause, session, now));
  }
}
