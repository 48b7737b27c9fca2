import { Injectable, Logger } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { defineWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { SECOND_MS } from '../../platform/base/durations.js';
import { messageOf } from '../../platform/base/error-text.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { count } from '../../platform/telemetry/metrics.js';
import { inSpan } from '../../platform/telemetry/spans.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { type CommitResult, GitRepository, MAX_COMMITS_PER_BATCH, type SkillChange } from '../git/git.repository.js';
import { KnownHistory } from './known-history.service.js';
import { PENDING_PUBLICATIONS, type Publication, PublicationRepository } from './publication.repository.js';
import { RemotePusher } from './remote-pusher.service.js';
import { publicationProblems, skillChangeOf } from './skill-change.service.js';
import { SkillsFolder } from './skills-folder.service.js';

const ACTIONS = { publish: 'skill.published', retire: 'skill.retired', restore: 'skill.restored' } as const;
// More failures than this have a common cause, in git or on the disk.
const MAX_FAILED_SKILLS = 1_000;

interface CommittedPublication extends CommitResult {
  readonly publication: Publication;
}

/**
 * Drains the outbox into git in batches, in the order of the decisions. It may be killed at any point: an
 * unacknowledged commit is found by its approval trailer, so nothing is lost and nothing is published twice.
 */
@Injectable()
export class Publisher extends defineWorker({ every: 5 * SECOND_MS, queues: { publications: PENDING_PUBLICATIONS } }) {
  private readonly logger = new Logger(Publisher.name);
  /**
   * Skills with a failed publication in this run. Their later publications wait, because they must not overtake it;
   * other skills go on.
   */
  private readonly failed = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly publications: PublicationRepository,
    private readonly git: GitRepository,
    private readonly remote: RemotePusher,
    private readonly folder: SkillsFolder,
    private readonly history: KnownHistory,
  ) {
    super();
  }

  protected async step(): Promise<boolean> {
    let more = false;
    try {
      // One batch of the repository. Within it, publications after a failure of the same skill are not committed.
      const pending = await this.publications.pending(this.database.client, MAX_COMMITS_PER_BATCH, [...this.failed]);
      const published = pending.length > 0 && (await this.publish(pending));
      more = published && pending.length === MAX_COMMITS_PER_BATCH && this.failed.size < MAX_FAILED_SKILLS;
    } finally {
      if (!more) this.failed.clear();
    }
    return more;
  }

  /** Returns false if git cannot be used at all. */
  private async publish(pending: readonly Publication[]): Promise<boolean> {
    // Another folder of the same database has these decisions. Publishing them here, too, would never end.
    const folder = await this.folder.publishing();
    if (folder === undefined) return false;
    try {
      await this.git.ensure();
    } catch (error) {
      await this.fail(pending, error);
      return false;
    }
    const valid: { publication: Publication; change: SkillChange }[] = [];
    for (const publication of pending) {
      const { skillName, renamedFrom } = publication;
      if (renamedFrom !== null && this.failed.has(renamedFrom)) this.failed.add(skillName);
      if (this.failed.has(skillName)) continue;
      try {
        const problems = publicationProblems(publication);
        if (problems.length > 0) throw new Error(`not a valid skill: ${problems.join('; ')}`);
        valid.push({ publication, change: skillChangeOf(publication) });
      } catch (error) {
        await this.fail([publication], error);
      }
    }
    // Called without waiting for each other, so that they share one import.
    const results = await inSpan('git publication', { 'guildbook.publications': valid.length }, () =>
      Promise.allSettled(
        valid.map(({ change }) => {
          const { bytes, ...retirement } = change;
          return bytes === undefined ? this.git.retireSkill(retirement) : this.git.publishSkill({ ...change, bytes });
        }),
      ),
    );
    const committed: CommittedPublication[] = [];
    for (const [index, { publication, change }] of valid.entries()) {
      const result = results[index];
      if (result?.status === 'fulfilled') committed.push({ ...result.value, publication });
      else await this.fail([publication], result?.reason);
      if (result?.status === 'fulfilled' && result.value.worktree === 'kept-external-edit')
        this.logger.warn(`${change.path} was edited externally; the folder keeps the edit, git has the decision`);
    }
    if (committed.length > 0) await this.history.noteWritten(folder);
    await this.acknowledge(folder, committed);
    if (committed.length > 0) this.remote.wake();
    return committed.length > 0 || valid.length === 0;
  }

  /** Acknowledges all in one transaction or, if that fails, one by one. */
  private async acknowledge(folder: string, committed: readonly CommittedPublication[]): Promise<void> {
    try {
      await this.database.transaction((tx) => this.acknowledgeIn(tx, folder, committed));
      count('guildbook_publications_total', { result: 'published' }, committed.length);
    } catch {
      for (const single of committed)
        await this.database
          .transaction((tx) => this.acknowledgeIn(tx, folder, [single]))
          .then(() => count('guildbook_publications_total', { result: 'published' }))
          .catch((error: unknown) => this.fail([single.publication], error));
    }
  }

  private async acknowledgeIn(tx: Tx, folder: string, committed: readonly CommittedPublication[]): Promise<void> {
    // The folder of another process has taken over, and has commits of its own for these decisions.
    if (!(await this.folder.isPublishingIn(tx, folder))) return;
    for (const { publication, commit } of committed) {
      const { id, kind, skillName, version, artifactSha256, proposalId } = publication;
      if (!(await this.publications.acknowledge(tx, id, commit, this.clock.now()))) continue;
      await this.journal.append(tx, jobActor('publisher'), {
        action: ACTIONS[kind],
        subject: { type: 'skill', id: skillName },
        data: { proposal: proposalId, artifactSha256, commit, version },
      });
    }
  }

  private async fail(publications: readonly Publication[], error: unknown): Promise<void> {
    const reason = clip(redact(messageOf(error)).text, 500);
    count('guildbook_publications_total', { result: 'failed' }, publications.length);
    for (const { skillName, renamedFrom } of publications) {
      this.failed.add(skillName);
      if (renamedFrom !== null) this.failed.add(renamedFrom);
      this.logger.error(`publication of ${skillName} failed: ${reason}`);
    }
    const ids = publications.map(({ id }) => id);
    // The database's gate also refuses this update for a row that differs from the approved text. That must not stop
    // the others.
    await this.publications
      .recordFailure(this.database.client, ids, reason)
      .catch(() => this.logger.error('the failure could not be recorded'));
  }
}
