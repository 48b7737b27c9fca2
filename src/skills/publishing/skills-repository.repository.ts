import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { HeldCommit } from '../git/known-chain.repository.js';

/** What the database knows of the skills repository. */
export interface SkillsRepositoryRecord {
  readonly id: string;
  /** The last commit that the decisions explain; undefined before the first one. */
  readonly known: string | undefined;
  readonly held: HeldCommit | undefined;
}

@Injectable()
export class SkillsRepositoryRecords {
  async find(tx: Tx): Promise<SkillsRepositoryRecord | undefined> {
    const row = await tx.skillsRepository.findFirst();
    if (row === null) return undefined;
    const { id, knownCommit, heldCommit, heldReason } = row;
    // Only `change` writes the reason, from its type.
    const held = heldCommit === null ? undefined : { commit: heldCommit, reason: heldReason as HeldCommit['reason'] };
    return { id, known: knownCommit ?? undefined, held };
  }

  /** Returns false if the database has a repository already. */
  async create(tx: Tx, id: string): Promise<boolean> {
    const created = await tx.$executeRaw`
      INSERT INTO "skills_repository" ("id") VALUES (${id}::uuid) ON CONFLICT ("single") DO NOTHING`;
    return created === 1;
  }

  /** Makes another folder the one that publishes. Compare-and-set: returns false if the record has changed. */
  async takeOver(tx: Tx, before: SkillsRepositoryRecord, id: string): Promise<boolean> {
    const { count } = await tx.skillsRepository.updateMany({
      where: { id: before.id, knownCommit: before.known ?? null },
      data: { id },
    });
    return count === 1;
  }

  /** Compare-and-set on the known commit: returns false if another process changed it. */
  async change(tx: Tx, before: SkillsRepositoryRecord, after: Omit<SkillsRepositoryRecord, 'id'>): Promise<boolean> {
    const { count } = await tx.skillsRepository.updateMany({
      where: { id: before.id, knownCommit: before.known ?? null },
      data: {
        knownCommit: after.known ?? null,
        heldCommit: after.held?.commit ?? null,
        heldReason: after.held?.reason ?? null,
      },
    });
    return count === 1;
  }
}
