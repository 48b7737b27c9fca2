import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { Readiness } from '../../platform/http/readiness.service.js';
import { GitRepository } from '../git/git.repository.js';
import { PublicationRepository } from './publication.repository.js';
import { decisionLookup } from './skill-change.service.js';
import { type SkillsRepositoryRecord, SkillsRepositoryRecords } from './skills-repository.repository.js';

const HELP = 'See "Another skills folder" in docs/operate.md.';

/**
 * Makes sure that the skills folder is the one that this database publishes to. Two folders of one database would undo
 * each other's publications.
 */
@Injectable()
export class SkillsFolder implements OnModuleInit {
  private readonly logger = new Logger(SkillsFolder.name);
  private isOther = false;
  /** The known commit that this folder was last seen to have. */
  private seen: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly records: SkillsRepositoryRecords,
    private readonly publications: PublicationRepository,
    private readonly git: GitRepository,
    readiness: Readiness,
  ) {
    readiness.registerProblems(() =>
      this.isOther
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
    const record = await this.records.find(this.database.client);
    const problem = record ? await this.problemOf(record) : await this.claim();
    if (problem !== undefined) throw new Error(`${problem} ${HELP}`);
  }

  /** False if the folder was exchanged or is a copy: then nothing may be published or repaired here. */
  async isOurs(): Promise<boolean> {
    const record = await this.records.find(this.database.client);
    const problem = record ? await this.problemOf(record) : await this.claim();
    if (problem !== undefined && !this.isOther) this.logger.error(`${problem} ${HELP}`);
    this.isOther = problem !== undefined;
    return !this.isOther;
  }

  private async problemOf({ id, known }: SkillsRepositoryRecord): Promise<string | undefined> {
    const own = await this.git.identity.read();
    if (own !== undefined && own !== id) return 'The skills folder belongs to another database.';
    const isSeen = own !== undefined && known === this.seen;
    const hasKnown =
      known !== undefined && (isSeen || ((await this.git.identity.isCreated()) && (await this.git.known.has(known))));
    if (own === undefined) {
      // A clone of the remote or a copy without git's own files. Anything else is a folder that this database never used.
      if (!hasKnown) return 'This database publishes to another skills folder than this one.';
      await this.git.ensure();
      await this.git.identity.write(id);
    } else if (known !== undefined && !hasKnown) {
      return 'The skills folder lacks commits that this database has published: it is older than the database, or a copy.';
    }
    this.seen = known;
    return undefined;
  }

  /** Gives a new database and its folder one id. */
  private async claim(): Promise<string | undefined> {
    if ((await this.git.identity.read()) !== undefined && !(await this.isEmptyOrOurs()))
      return 'The skills folder belongs to another database, and this database is new.';
    await this.git.ensure();
    const id = this.ids.uuid();
    const isClaimed = await this.database.transaction(async (tx) => {
      if (!(await this.records.create(tx, id))) return false;
      // In the transaction, so that another process that starts now waits, and then finds this id in the folder. A
      // folder with the id of a transaction that failed is claimed again.
      await this.git.identity.write(id);
      return true;
    });
    if (isClaimed) return undefined;
    const record = await this.records.find(this.database.client);
    return record && this.problemOf(record);
  }

  private async isEmptyOrOurs(): Promise<boolean> {
    if ((await this.git.head()) === undefined) return true;
    const { known } = await this.git.follow(undefined, decisionLookup(this.database, this.publications));
    return known !== undefined;
  }
}
