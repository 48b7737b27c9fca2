import { Injectable } from '@nestjs/common';
import { asAdmin, type Caller, canAdminister } from '../../access/identity/caller.js';
import type { AdminActor, OwnerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import type { PausedSessions } from './delivery-pause.js';
import { DeliveryPauseRepository, type PauseOfPerson, type StoredPause } from './delivery-pause.repository.js';
import type { DeliveryPause, NewDeliveryPause } from './delivery-pause.schema.js';

/** Of one person. Each event of a hook is compared with all pauses in force. */
const MOST_PAUSES = 100;

/** What people paused for their agents. A person pauses for their own agents, an administrator for those of everyone. */
@Injectable()
export class DeliveryPauses {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly references: IdentifierReferences,
    private readonly pauses: DeliveryPauseRepository,
  ) {}

  /** Throws a conflict if the person has paused the same already, or paused too much. */
  pause(caller: Caller, { project, sessionId, hours, personId = caller.id }: NewDeliveryPause): Promise<DeliveryPause> {
    const actor = pauserFor(caller, personId);
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const person = await this.pauses.lockPerson(tx, personId);
      if (!person) throw new DomainError('not_found', 'access.unknown_principal', `There is no person ${personId}.`);
      await this.pauses.deleteEnded(tx, personId, now);
      if ((await this.pauses.count(tx, personId)) >= MOST_PAUSES)
        throw new DomainError(
          'conflict',
          'delivery.too_many_pauses',
          `At most ${MOST_PAUSES} pauses. Resume some first.`,
        );
      const pause = {
        id: this.ids.uuid(),
        personId,
        project: project ?? '',
        createdAt: now,
        session: sessionId === undefined ? '' : this.references.of(sessionId),
        until: hours === undefined ? null : new Date(now.getTime() + hours * HOUR_MS),
      };
      if (!(await this.pauses.insert(tx, pause)))
        throw new DomainError('conflict', 'delivery.already_paused', 'This is paused already. Resume it first.');
      await this.append(tx, actor, 'delivery.paused', pause);
      return shown({ ...pause, ...person });
    });
  }

  /** Throws `not_found` if it was resumed before. */
  resume(caller: Caller, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const pause = await this.pauses.find(tx, id);
      if (!pause) throw unknownPause(id);
      const actor = pauserFor(caller, pause.personId);
      if (!(await this.pauses.delete(tx, id))) throw unknownPause(id);
      await this.append(tx, actor, 'delivery.resumed', pause);
    });
  }

  /** The pauses in force that the caller can end. */
  async list(caller: Caller): Promise<DeliveryPause[]> {
    const owner = canAdminister(caller) ? null : caller.id;
    return (await this.pauses.inForce(this.database.client, this.clock.now(), owner)).map(shown);
  }

  /** All pauses in force. */
  async inForce(): Promise<PausedSessions[]> {
    const all = await this.pauses.inForce(this.database.client, this.clock.now(), null);
    return all.map(({ name, email, project, session, until }) => ({
      person: { name, email },
      project: project || null,
      session: session || null,
      until,
    }));
  }

  private append(tx: Tx, actor: AdminActor | OwnerActor, action: string, pause: StoredPause) {
    const { id, personId: person, project, session, until } = pause;
    return this.journal.append(tx, actor, {
      action,
      subject: { type: 'delivery_pause', id },
      data: {
        person,
        ...(project === '' ? {} : { project }),
        ...(session === '' ? {} : { session }),
        ...(until === null ? {} : { until: until.toISOString() }),
      },
    });
  }
}

/** Throws `forbidden` for the agents of another person, unless the caller is an administrator. */
const pauserFor = (caller: Caller, personId: string): AdminActor | OwnerActor =>
  caller.kind === 'person' && caller.id === personId
    ? { kind: 'owner', id: caller.id, name: caller.name }
    : asAdmin(caller);

const unknownPause = (id: string): DomainError =>
  new DomainError('not_found', 'delivery.pause_not_found', `There is no pause ${id}.`);

const shown = ({ id, personId, name, project, session, createdAt, until }: PauseOfPerson): DeliveryPause => ({
  id,
  person: { id: personId, name },
  project: project || null,
  session: session || null,
  since: createdAt.toISOString(),
  until: until?.toISOString() ?? null,
});
