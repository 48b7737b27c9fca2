import { Injectable, Logger } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { defineWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS, SECOND_MS } from '../../platform/base/durations.js';
import { Database } from '../../platform/database/database.js';
import { GitRepository, type SkillChange } from '../git/git.repository.js';
import { type Publication, PublicationRepository } from './publication.repository.js';
import { skillChangeOf } from './skill-change.service.js';
import { SkillsFolder } from './skills-folder.service.js';
import { type SkillsRepositoryRecord, SkillsRepositoryRecords } from './skills-repository.repository.js';

/** After a failed attempt for the same known commit. */
const RETRY_MS = MINUTE_MS;

/**
 * Keeps a skills folder in step that does not publish. The commits of the known history are made again from the
 * decisions, with the same ids. Once it is in step, it takes the place of a folder whose processes are gone.
 */
@Injectable()
export class SkillsFollower extends defineWorker({ every: 5 * SECOND_MS }) {
  private readonly logger = new Logger(SkillsFollower.name);
  /** The head of main whose files are in the folder. */
  private written: string | undefined;
  private failed: { readonly known: string; readonly at: number } | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly records: SkillsRepositoryRecords,
    private readonly publications: PublicationRepository,
    private readonly git: GitRepository,
    private readonly folder: SkillsFolder,
  ) {
    super();
  }

  protected async step(): Promise<boolean> {
    const own = await this.folder.following();
    if (own === undefined) return false;
    const record = await this.records.find(this.database.client);
    if (record === undefined || !(await this.isInStep(record))) return false;
    const isTaken = await this.folder.takeOver(own, record, (tx) =>
      this.journal
        .append(tx, jobActor('publisher'), {
          action: 'skills.folder_changed',
          subject: { type: 'skill', id: 'repository' },
          data: { known: record.known ?? null, at: this.clock.now().toISOString() },
        })
        .then(() => undefined),
    );
    if (isTaken) this.logger.warn({ event: 'skills.folder_changed', known: record.known });
    return false;
  }

  private async isInStep({ known }: SkillsRepositoryRecord): Promise<boolean> {
    const head = await this.git.head();
    if (head !== this.written) await this.git.writeLeftFiles();
    this.written = head;
    if (known === undefined) return head === undefined;
    if (head === known) return true;
    const now = this.clock.now().getTime();
    if (this.failed?.known === known && now - this.failed.at < RETRY_MS) return false;
    if ((await this.git.known.has(known)) || (await this.rebuild(known, head))) {
      this.failed = undefined;
      if (!(await this.git.adopt(known))) return false;
      this.written = known;
      return true;
    }
    this.failed = { known, at: now };
    this.logger.warn({ event: 'skills.folder_behind', known });
    return false;
  }

  /** Makes the commits up to the known one: on what is here, or from the beginning; in either order. */
  private async rebuild(known: string, head: string | undefined): Promise<boolean> {
    const { client } = this.database;
    const all = await this.publications.allProposals(client);
    for (const base of head === undefined ? [undefined] : [head, undefined]) {
      const has = await this.git.known.approvals(base);
      const missing = await this.publications.findByProposals(
        client,
        all.filter((proposal) => !has.has(proposal)),
      );
      for (const order of [inOrderOfDecision, inOrderOfPublication])
        if (await this.git.known.extendTo(base, changesOf([...missing].sort(order)), known)) return true;
    }
    return false;
  }
}

const byDecision = (a: Publication, b: Publication): number =>
  a.decidedAt.getTime() - b.decidedAt.getTime() || a.journal.seq - b.journal.seq;

/** Those that are not published come last, whatever their order. */
const inOrderOfDecision = (a: Publication, b: Publication): number =>
  Number(a.commit === null) - Number(b.commit === null) || byDecision(a, b);

/** A publication that failed at first comes after later ones. */
const inOrderOfPublication = (a: Publication, b: Publication): number =>
  (a.publishedAt?.getTime() ?? Number.MAX_SAFE_INTEGER) - (b.publishedAt?.getTime() ?? Number.MAX_SAFE_INTEGER) ||
  byDecision(a, b);

/** Without those whose bytes are not the approved ones, which no folder publishes. */
const changesOf = (publications: readonly Publication[]): SkillChange[] =>
  publications.flatMap((publication) => {
    try {
      return [skillChangeOf(publication)];
    } catch {
      return [];
    }
  });
