import { Injectable } from '@nestjs/common';
import type { AgentActor, JobActor } from '../../journal/actor.js';
import { Journal, type JournalRecord } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { count } from '../../platform/telemetry/metrics.js';
import { clip } from '../../untrusted/text/clip.js';
import { DeliveryRepository, type JudgedDelivery, type ReportedDelivery } from './delivery.repository.js';
import type { DeliveryArm, DeliveryTally, Moment } from './delivery-tally.js';

/** A lesson that a session receives, or would receive. */
interface LessonDelivery {
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
  /** The call that is refused, without secrets. Only the journal holds it. */
  readonly call?: { readonly name: string; readonly action: string };
}

/** The longest call in the journal, in characters. */
const LONGEST_CALL = 1_000;
/** A session receives a lesson once for each shape of error. */
const MOST_RECEIVED = 500;

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
  async record(actor: AgentActor, { sessionId, shape, call, ...delivery }: LessonDelivery): Promise<boolean> {
    // Prepared statements of the driver: an agent waits for them.
    const isRecorded = await this.database.sqlTransaction(async (tx) => {
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
      await this.journal.append(tx, actor, entryOf(actor, delivery, session, call));
      return true;
    });
    if (isRecorded) count('guildbook_deliveries_total', { moment: delivery.moment, arm: delivery.arm });
    return isRecorded;
  }

  /** What this session of the agent received, the newest first; at most {@link MOST_RECEIVED}. */
  receivedBy(agentId: string, sessionId: string, tx: SqlClient): Promise<string[]> {
    return this.deliveries.receivedBy(tx, agentId, this.references.of(sessionId), MOST_RECEIVED);
  }

  /** Deliveries after a failure that are not judged, and whose session has been reported since. */
  reported(since: Date, limit: number): Promise<ReportedDelivery[]> {
    return this.deliveries.reported(this.database.client, since, limit);
  }

  /** Stores what became of deliveries. One that was judged before stays as it is. */
  judge(actor: JobActor, judged: readonly JudgedDelivery[]): Promise<void> {
    return this.database.transaction(async (tx) => {
      for (const one of judged) await this.deliveries.judge(tx, one, this.clock.now());
      await this.journal.append(tx, actor, {
        action: 'lesson.deliveries_judged',
        subject: { type: 'job', id: actor.id },
        data: { deliveries: judged.length, overcome: judged.filter(({ overcome }) => overcome === true).length },
      });
    });
  }

  /** The deliveries of one version of a skill, or of all skills, by agent, moment and arm. */
  tallies(skill?: { readonly name: string; readonly version: number }): Promise<DeliveryTally[]> {
    return this.deliveries.tallies(this.database.client, skill);
  }
}

/** A refused call is journalled like one that the gate at use denies, so that one list shows both. */
function entryOf(
  { id }: AgentActor,
  { memoryId, skillName, version, moment, arm }: Omit<LessonDelivery, 'sessionId' | 'shape' | 'call'>,
  session: string,
  call: LessonDelivery['call'],
): JournalRecord {
  const skill = skillName === null ? {} : { skill: skillName, version };
  if (arm === 'withheld' || !call)
    return {
      action: arm === 'delivered' ? 'lesson.delivered' : 'lesson.withheld',
      subject: { type: 'memory', id: memoryId },
      data: { moment, session, ...skill },
    };
  return {
    action: 'gate.denied',
    subject: { type: 'agent', id },
    data: {
      tool: { name: call.name, action: clip(call.action, LONGEST_CALL) },
      memories: [memoryId],
      reasons: [{ memory: memoryId, because: 'marked_as_gate' }],
      session,
      ...skill,
    },
  };
}
