import { Injectable } from '@nestjs/common';
import type { Reviewed } from '../../journal/actor.js';
import { JournalKey } from '../../journal/journal-key.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { type PublicationKind, PublicationRepository } from './publication.repository.js';

/** An approved file to publish: its bytes and the journal entry of the decision, without the lesson. */
export interface ApprovedArtifact {
  readonly proposalId: string;
  readonly kind: PublicationKind;
  readonly skillName: string;
  readonly renamedFrom: string | null;
  readonly version: number;
  readonly artifact: string;
  readonly artifactSha256: string;
  /** The journal entry of the decision, named in the commit. */
  readonly journal: { readonly seq: number; readonly hash: string };
}

/**
 * The only way into the skills repository: a row in the decision's own transaction. The boundary check and its module
 * reserve it for `src/approvals`. It accepts only a `ReviewerActor`, who becomes the author of the commit.
 */
@Injectable()
export class PublicationOutbox {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly key: JournalKey,
    private readonly publications: PublicationRepository,
  ) {}

  async add(tx: SqlClient, approved: readonly Reviewed<ApprovedArtifact>[]): Promise<void> {
    if (approved.length === 0) return;
    const decidedAt = this.clock.now();
    const rows = approved.map(({ reviewer, journal, ...artifact }) => ({
      ...artifact,
      // The signature is stored, because a replay must make the same commit even after the key was changed.
      journal: { ...journal, signature: this.key.signPosition(journal) },
      id: this.ids.uuid(),
      authorName: reviewer.name,
      authorEmail: reviewer.email,
      decidedAt,
    }));
    await this.publications.create(tx, rows);
  }
}
