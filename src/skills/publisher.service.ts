import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { job } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { sha256 } from '../platform/canonical-json.js';
import { Clock } from '../platform/clock.js';
import { Database } from '../platform/database.js';
import { Worker } from '../platform/worker.js';
import { clip } from '../untrusted/clip.js';
import { redact } from '../untrusted/redact.js';
import { CommitMessage } from './commit-message.js';
import { GitRepository } from './git.repository.js';
import { lintSkill } from './lint.js';
import { type Publication, PublicationRepository } from './publication.repository.js';
import { Remote } from './remote.service.js';
import { validateSkill } from './validate.js';

const BATCH = 50;
const ACTIONS = { publish: 'skill.published', retire: 'skill.retired', restore: 'skill.restored' } as const;

/**
 * Drains the outbox into git, in the order of the decisions. Killed at any point, it starts again: a commit that was
 * made and not acknowledged is found by its approval's trailer, so nothing is lost and nothing is published twice.
 */
@Injectable()
export class Publisher implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Publisher.name);
  private readonly worker = new Worker(Publisher.name, () => this.drain());

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly publications: PublicationRepository,
    private readonly git: GitRepository,
    private readonly remote: Remote,
  ) {}

  /** Says that the outbox may hold something. Returns at once. */
  ring(): void {
    this.worker.ring();
  }

  /** Waits until what was rung for is in git. */
  idle(): Promise<void> {
    return this.worker.idle();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.stop();
  }

  private async drain(): Promise<boolean> {
    const pending = await this.publications.pending(this.database.client, BATCH);
    let published = 0;
    const failed = new Set<string>();
    for (const publication of pending) {
      // A later version of a skill must not overtake an earlier one that could not be published.
      if (failed.has(publication.skillName)) continue;
      try {
        await this.publish(publication);
        published += 1;
      } catch (error) {
        failed.add(publication.skillName);
        const reason = clip(redact(error instanceof Error ? error.message : String(error)).text, 500);
        this.logger.error(`publication of ${publication.skillName} failed: ${reason}`);
        await this.publications.fail(this.database.client, publication.id, reason);
      }
    }
    if (published > 0) this.remote.ring();
    return published > 0 && pending.length === BATCH;
  }

  private async publish(publication: Publication): Promise<void> {
    const { id, kind, skillName, version, artifactSha256, approvalId } = publication;
    await this.git.ensure();
    const { commit, worktree } = await (kind === 'retire' ? this.remove(publication) : this.add(publication));
    if (worktree === 'kept-foreign-edit')
      this.logger.warn(`${skillName}/SKILL.md was edited by hand; the edit stands in the folder, the decision in git`);
    await this.database.transaction(async (tx) => {
      if (!(await this.publications.acknowledge(tx, id, commit, this.clock.now()))) return;
      await this.journal.append(tx, job('publisher'), {
        action: ACTIONS[kind],
        subject: { type: 'skill', id: skillName },
        data: { approval: approvalId, artifactSha256, commit, version },
      });
    });
  }

  private add(publication: Publication) {
    const { kind, skillName, renamedFrom, version, artifact, artifactSha256, approvalId, journal } = publication;
    if (sha256(artifact) !== artifactSha256) throw new Error('the bytes are not the ones that were approved');
    const problems = [...validateSkill(skillName, artifact), ...lintSkill(artifact).map(({ message }) => message)];
    if (problems.length > 0) throw new Error(`not a valid skill: ${problems.join('; ')}`);
    const facts = { name: skillName, version, approvalId, artifactSha256, journal };
    const change = { ...decisionOf(publication), bytes: artifact };
    if (renamedFrom !== null)
      return this.git.commitFile({
        ...{ ...change, replaces: `${renamedFrom}/SKILL.md` },
        message: CommitMessage.rename({ ...facts, from: renamedFrom }),
      });
    const message = kind === 'restore' ? CommitMessage.restore(facts) : CommitMessage.publish(facts);
    return this.git.commitFile({ ...change, message });
  }

  private remove(publication: Publication) {
    const { skillName, artifactSha256, approvalId, journal } = publication;
    const message = CommitMessage.retire({ name: skillName, approvalId, artifactSha256, journal });
    return this.git.removeFile({ ...decisionOf(publication), message });
  }
}

/** The reviewer is the author, and the decision's time the date: a replay makes the same commit. */
function decisionOf({ skillName, authorName, authorEmail, decidedAt }: Publication) {
  return {
    path: `${skillName}/SKILL.md`,
    author: { name: authorName, email: authorEmail },
    when: decidedAt.toISOString(),
  };
}
