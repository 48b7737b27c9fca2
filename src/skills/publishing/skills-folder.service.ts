import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ServerProcesses } from '../../platform/background/server-processes.service.js';
import { Clock } from '../../platform/base/clock.js';
import { SECOND_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { takeLease } from '../../platform/database/lease.js';
import { Readiness } from '../../platform/http/readiness.service.js';
import { GitRepository } from '../git/git.repository.js';
import { PublicationRepository } from './publication.repository.js';
import { decisionLookup } from './skill-change.service.js';
import { type SkillsRepositoryRecord, SkillsRepositoryRecords } from './skills-repository.repository.js';

const HELP = 'See "Another skills folder" in docs/operate.md.';
/** Of the folder that publishes, whichever processes use it. Renewed every few seconds. */
const LEASE = 'skills-folder';
const LEASE_MS = 30 * SECOND_MS;
const RENEW_MS = 5 * SECOND_MS;

/** `publishes`: its processes publish, push and repair. `follows`: it is rebuilt from the decisions. */
type Place = { readonly id: string; readonly does: 'publishes' | 'follows' } | { readonly problem: string };

/**
 * The place of the skills folder: one folder of a database publishes, and all others follow it. Two folders that publish
 * would undo each other's publications.
 */
@Injectable()
export class SkillsFolder implements OnModuleInit {
  private readonly logger = new Logger(SkillsFolder.name);
  private place: Place | undefined;
  /** The known commit that this folder was last seen to have. */
  private seen: string | undefined;
  private renewedAt = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly references: IdentifierReferences,
    private readonly records: SkillsRepositoryRecords,
    private readonly publications: PublicationRepository,
    private readonly git: GitRepository,
    processes: ServerProcesses,
    readiness: Readiness,
  ) {
    processes.describe(() => {
      if (this.place === undefined || 'problem' in this.place) return {};
      return { skillsFolder: this.place.does === 'follows' ? 'own' : 'shared' };
    });
    readiness.registerProblems(() =>
      this.place !== undefined && 'problem' in this.place
        ? [
            {
              code: 'skills.other_folder',
              message: 'The skills folder is not the one of this database. Nothing is published. The log says more.',
            },
          ]
        : [],
    );
  }

  /** Before any work begins. Throws with an explanation for a folder of another database. */
  async onModuleInit(): Promise<void> {
    const place = await this.find();
    if ('problem' in place) throw new Error(`${place.problem} ${HELP}`);
    if (place.does === 'follows') this.logger.log('another skills folder publishes; this one follows the database');
  }

  /** The id of this folder if it publishes. Otherwise nothing may be published, pushed or repaired here. */
  async publishing(): Promise<string | undefined> {
    const place = await this.find();
    if ('problem' in place || place.does === 'follows') return undefined;
    return (await this.hold(place.id)) ? place.id : undefined;
  }

  /** The id of this folder if it follows. */
  async following(): Promise<string | undefined> {
    const place = await this.find();
    return 'problem' in place || place.does === 'publishes' ? undefined : place.id;
  }

  /** True if the folder with this id still publishes, as of this transaction. */
  async isPublishingIn(tx: Tx, id: string): Promise<boolean> {
    return (await this.records.find(tx))?.id === id;
  }

  /** Takes the place of a folder whose processes are gone. Call it when this one has all that was published. */
  async takeOver(id: string, record: SkillsRepositoryRecord, journal: (tx: Tx) => Promise<void>): Promise<boolean> {
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      if (!(await takeLease(tx, LEASE, id, now, LEASE_MS))) return false;
      if (!(await this.records.takeOver(tx, record, id))) throw new Error('another folder has taken over');
      await journal(tx);
      return true;
    });
  }

  private async hold(id: string): Promise<boolean> {
    const now = this.clock.now();
    const elapsed = now.getTime() - this.renewedAt;
    if (elapsed >= 0 && elapsed < RENEW_MS) return true;
    const isHeld = await takeLease(this.database.client, LEASE, id, now, LEASE_MS);
    if (isHeld) this.renewedAt = now.getTime();
    return isHeld;
  }

  private async find(): Promise<Place> {
    const record = await this.records.find(this.database.client);
    const place = record ? await this.placeOf(record) : await this.claim();
    const isNew = this.place === undefined || !('problem' in this.place);
    if ('problem' in place && isNew) this.logger.error(`${place.problem} ${HELP}`);
    this.place = place;
    return place;
  }

  private async placeOf({ id, known }: SkillsRepositoryRecord): Promise<Place> {
    const own = await this.git.identity.read();
    const isSeen = own !== undefined && known === this.seen;
    const hasKnown = known !== undefined && (isSeen || (await this.has(known)));
    if (own === undefined) return this.admit(id, hasKnown);
    const proof = await this.git.identity.readProof();
    if (own !== id)
      return proof === this.proofOf(own)
        ? { id: own, does: 'follows' }
        : { problem: 'The skills folder belongs to another database.' };
    // Older than the database, or a copy: it becomes another folder, and gets what it lacks from the decisions.
    if (known !== undefined && !hasKnown) return this.follow();
    if (proof === undefined) await this.git.identity.write(id, this.proofOf(id));
    this.seen = known;
    return { id, does: 'publishes' };
  }

  /** A folder without an id: a new one, a clone of the remote, or a copy without git's own files. */
  private async admit(id: string, hasKnown: boolean): Promise<Place> {
    const isEmpty = await this.git.identity.isEmpty();
    if (!isEmpty && !hasKnown) return { problem: 'This database publishes to another skills folder than this one.' };
    if (isEmpty || (await this.isHeldByOther())) return this.follow();
    await this.git.ensure();
    await this.git.identity.write(id, this.proofOf(id));
    return { id, does: 'publishes' };
  }

  private async follow(): Promise<Place> {
    await this.git.ensure();
    const id = this.ids.uuid();
    await this.git.identity.write(id, this.proofOf(id));
    return { id, does: 'follows' };
  }

  private async has(known: string): Promise<boolean> {
    return (await this.git.identity.isCreated()) && (await this.git.known.has(known));
  }

  private async isHeldByOther(): Promise<boolean> {
    const now = this.clock.now();
    return (await this.database.client.lease.count({ where: { name: LEASE, until: { gt: now } } })) > 0;
  }

  /** Only a process of this database can make it: the key is in the database. */
  private proofOf(id: string): string {
    return this.references.keyOf(`skills-folder ${id}`);
  }

  /** Gives a new database and its folder one id. */
  private async claim(): Promise<Place> {
    if ((await this.git.identity.read()) !== undefined && !(await this.isEmptyOrOurs()))
      return { problem: 'The skills folder belongs to another database, and this database is new.' };
    await this.git.ensure();
    const id = this.ids.uuid();
    const isClaimed = await this.database.transaction(async (tx) => {
      if (!(await this.records.create(tx, id))) return false;
      // Of the folder before, if an operator deleted its record.
      await tx.lease.deleteMany({ where: { name: LEASE } });
      // In the transaction, so that another process that starts now waits, and then finds this id in the folder. A
      // folder with the id of a transaction that failed is claimed again.
      await this.git.identity.write(id, this.proofOf(id));
      return true;
    });
    if (isClaimed) return { id, does: 'publishes' };
    const record = await this.records.find(this.database.client);
    return record ? this.placeOf(record) : { problem: 'The record of the skills folder has gone.' };
  }

  private async isEmptyOrOurs(): Promise<boolean> {
    if ((await this.git.head()) === undefined) return true;
    const { known } = await this.git.follow(undefined, decisionLookup(this.database, this.publications));
    return known !== undefined;
  }
}
