import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { type DeliveryArm, DeliveryRepository, type Moment } from './delivery.repository.js';

/** A lesson that a session receives, or would receive. */
export interface LessonDelivery {
  readonly memoryId: string;
  readonly skillName: string | null;
  readonly version: number | null;
  /** The agent's session, in its own words or as a reference. */
  readonly sessionId: string;
  readonly harness: string;
  readonly moment: Moment;
  /** The shape of the error; empty at other moments. Only a keyed hash of it is stored. */
  readonly shape: string;
  readonly arm: DeliveryArm;
}

/** What the sessions of agents received over their hooks. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly references: IdentifierReferences,
    private readonly deliveries: DeliveryRepository,
  ) {}

  /** Records the delivery. Returns false, and records nothing, if the session had it before for this shape. */
  record(actor: AgentActor, { sessionId, shape, ...delivery }: LessonDelivery): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const session = this.references.of(sessionId);
      const isNew = await this.deliveries.insert(tx, {
        ...delivery,
        id: this.ids.uuid(),
        agentId: actor.id,
        session,
        shape: shape === '' ? '' : this.references.keyOf(shape),
        at: this.clock.now(),
      });
      if (!isNew) return false;
      const { memoryId, skillName, version, moment, arm } = delivery;
      await this.journal.append(tx, actor, {
        action: arm === 'delivered' ? 'lesson.delivered' : 'lesson.withheld',
        subject: { type: 'memory', id: memoryId },
        data: { moment, session, ...(skillName === null ? {} : { skill: skillName, version }) },
      });
      return true;
    });
  }
}
