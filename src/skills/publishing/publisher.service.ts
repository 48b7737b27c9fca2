import { Injectable, Logger } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { BackgroundWorker } from '../../platform/background/worker.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { messageOf } from '../../platform/base/error-text.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { lintSkill } from '../document/lint.js';
import { validateSkill } from '../document/validate.js';
import { CommitMessage } from '../git/commit-message.js';
import {
  type Publication as Commit,
  GitRepository,
  MAX_COMMITS_PER_BATCH,
  type SkillDecision,
} from '../git/git.repository.js';
import { type Publication, PublicationRepository } from './publication.repository.js';
import { RemotePusher } from './remote-pusher.service.js';

const ACTIONS = { publish: 'skill.published', retire: 'skill.retired', restore: 'skill.restored' } as const;
// More failures than this have a common cause, in git or on the disk.
const MAX_FAILED_SKILLS = 1_000;

interface CommittedPublication extends Commit {
  readonly publication: Publication;
}

/**
 * Drains the outbox into git in batches, in the order of the decisions. It may be killed at any point: an
 * unacknowledged commit is found by its approval trailer, so nothing is lost and nothing is published twice.
 */
@Injectable()
export class Publisher extends BackgroundWorker {
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
    try {
      await this.git.ensure();
    } catch (error) {
      await this.fail(pending, error);
      return false;
    }
    const sound: { publication: Publication; decision: SkillDecision }[] = [];
    for (const publication of pending) {
      const { skillName, renamedFrom } = publication;
      if (renamedFrom !== null && this.failed.has(renamedFrom)) this.failed.add(skillName);
      if (this.failed.has(skillName)) continue;
      try {
        sound.push({ publication, decision: toCommitRequest(publication) });
      } catch (error) {
        await this.fail([publication], error);
      }
    }
    // Called without waiting for each other, so that they share one import.
    const landings = await Promise.allSettled(
      sound.map(({ publication: { kind, artifact, renamedFrom }, decision }) => {
        if (kind === 'retire') return this.git.retireSkill(decision);
        const replaces = renamedFrom === null ? {} : { replaces: fileOf(renamedFrom) };
        return this.git.publishSkill({ ...decision, bytes: artifact, ...replaces });
      }),
    );
    const landed: CommittedPublication[] = [];
    for (const [index, { publication, decision }] of sound.entries()) {
      const landing = landings[index];
      if (landing?.status === 'fulfilled') landed.push({ ...landing.value, publication });
      else await this.fail([publication], landing?.reason);
      if (landing?.status === 'fulfilled' && landing.value.worktree === 'kept-external-edit')
        this.logger.warn(`${decision.path} was edited by hand; the edit stands in the folder, the decision in git`);
    }
    await this.acknowledge(landed);
    if (landed.length > 0) this.remote.wake();
    return landed.length > 0 || sound.length === 0;
  }

  /** Acknowledges all in one transaction or, if that fails, one by one. */
  private async acknowledge(landed: readonly CommittedPublication[]): Promise<void> {
    try {
      await this.database.transaction((tx) => this.acknowledgeIn(tx, landed));
    } catch {
      for (const one of landed)
        await this.database
          .transaction((tx) => this.acknowledgeIn(tx, [one]))
          .catch((error: unknown) => this.fail([one.publication], error));
    }
  }

  private async acknowledgeIn(tx: Tx, landed: readonly CommittedPublication[]): Promise<void> {
    for (const { publication, commit } of landed) {
      const { id, kind, skillName, version, artifactSha256, proposalId } = publication;
      if (!(await this.publications.acknowledge(tx, id, commit, this.clock.now()))) continue;
      await this.journal.append(tx, jobActor('publisher'), {
        action: ACTIONS[kind],
        subject: { type: 'skill', id: skillName },
        data: { approval: proposalId, artifactSha256, commit, version },
      });
    }
  }

  private async fail(publications: readonly Publication[], error: unknown): Promise<void> {
    const reason = clip(redact(messageOf(error)).text, 500);
    for (const { skillName, renamedFrom } of publications) {
      this.failed.add(skillName);
      if (renamedFrom !== null) this.failed.add(renamedFrom);
      this.logger.error(`publication of ${skillName} failed: ${reason}`);
    }
    const ids = publications.map(({ id }) => id);
    // The database's gate also refuses this update for a row that was tampered with. That must not stop the others.
    await this.publications
      .recordFailure(this.database.client, ids, reason)
      .catch(() => this.logger.error('the failure could not be noted'));
  }
}

/**
 * Builds the commit request. Throws for bytes that were not approved or that are not a valid skill. The reviewer is the
 * author and the decision's time is the date, so a replay makes the same commit.
 */
function toCommitRequest(publication: Publication): SkillDecision {
  const { kind, skillName, artifact, artifactSha256 } = publication;
  if (kind !== 'retire') {
    if (sha256(artifact) !== artifactSha256) throw new Error('the bytes are not the ones that were approved');
    const problems = [...validateSkill(skillName, artifact), ...lintSkill(artifact).map(({ message }) => message)];
    if (problems.length > 0) throw new Error(`not a valid skill: ${problems.join('; ')}`);
  }
  return {
    path: fileOf(skillName),
    message: commitMessageOf(publication),
    author: { name: publication.authorName, email: publication.authorEmail },
    when: publication.decidedAt.toISOString(),
  };
}

function commitMessageOf({ kind, skillName, renamedFrom, version, proposalId, artifactSha256, journal }: Publication) {
  const facts = { name: skillName, version, proposalId, artifactSha256, journal };
  if (kind === 'retire') return CommitMessage.retire(facts);
  if (kind === 'restore') return CommitMessage.restore(facts);
  return renamedFrom === null ? CommitMessage.publish(facts) : CommitMessage.rename({ ...facts, from: renamedFrom });
}

const fileOf = (skillName: string): string => `${skillName}/SKILL.md`;
