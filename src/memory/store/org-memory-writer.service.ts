import { Injectable } from '@nestjs/common';
import type { Reviewed } from '../../journal/actor.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { AnsweredClaim } from './answered-claim.js';
import type { Lesson } from './lesson.schema.js';
import { MemoryRepository } from './memory.repository.js';
import { provenanceOf } from './provenance.js';

/** An approved skill to add to org memory: the lesson and the hash of the approved file, without the file. */
export interface ApprovedSkill {
  readonly proposalId: string;
  readonly name: string;
  readonly version: number;
  readonly lesson: Sanitized<Lesson>;
  /** SHA-256 of the SKILL.md that the reviewer approved. The database refuses any other value. */
  readonly artifactSha256: string;
  readonly supersedes: string | null;
}

/** An org entry that was just written. */
export interface NewOrgEntry {
  readonly id: string;
  readonly skillName: string;
  readonly version: number;
  readonly createdAt: Date;
}

/**
 * The only writer of org memory. The boundary check and its module reserve it for `src/approvals`. It accepts only a
 * `ReviewerActor` and writes only inside the decision's transaction.
 */
@Injectable()
export class OrgMemoryWriter {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly memories: MemoryRepository,
  ) {}

  /**
   * Returns the new entries in the order of the skills. Throws `conflict` if an entry to be replaced is no longer live.
   */
  async admit(tx: SqlClient, skills: readonly Reviewed<ApprovedSkill>[]): Promise<NewOrgEntry[]> {
    const createdAt = this.clock.now();
    const admitted = skills.map((skill) => ({ skill, id: this.ids.uuid() }));
    const replaced = admitted.flatMap(({ skill: { supersedes }, id }) =>
      supersedes ? [{ id: supersedes, by: id }] : [],
    );
    await this.end(tx, replaced, createdAt);
    const rows = admitted.map(({ skill, id }) => ({
      id,
      createdAt,
      scope: 'org' as const,
      lesson: skill.lesson,
      controlTags: ['non-inferable'],
      provenance: provenanceOf(null, 'approve', skill.reviewer.kind),
      proposer: `approved by ${skill.reviewer.id}`,
      contentSha256: skill.artifactSha256,
      skill: { name: skill.name, version: skill.version, proposalId: skill.proposalId },
    }));
    if (rows.length > 0) await this.memories.createAll(tx, rows);
    return admitted.map(({ skill: { name, version }, id }) => ({ id, skillName: name, version, createdAt }));
  }

  /**
   * Ends the claims of agents ("nothing overcomes this failure") that these skills answer, once every agent receives
   * them. The caller journals the claims.
   */
  answer(tx: SqlClient, ids: readonly string[]): Promise<AnsweredClaim[]> {
    return this.memories.endAnswered(tx, ids, this.clock.now());
  }

  /** Ends live skills. They stay as tombstones for audit and are never recalled. Throws `conflict` if one has ended. */
  async retire(tx: SqlClient, ended: readonly Reviewed<{ memoryId: string }>[]): Promise<void> {
    await this.end(
      tx,
      ended.map(({ memoryId }) => ({ id: memoryId, by: null })),
      this.clock.now(),
    );
  }

  /** The entries were live when the decision read them. A concurrent decision may have ended one since. */
  private async end(tx: SqlClient, ended: readonly { id: string; by: string | null }[], at: Date): Promise<void> {
    if (ended.length === 0 || (await this.memories.endSkills(tx, ended, at)) === ended.length) return;
    throw new DomainError(
      'conflict',
      'proposal.stale',
      'Another decision ended or replaced this skill at the same time.',
    );
  }
}
