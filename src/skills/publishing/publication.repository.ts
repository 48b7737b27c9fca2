import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { insertRows, type SqlClient, selectColumns } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { DecisionFacts } from '../git/commit-message.js';

/** `restore` puts approved bytes back after a reviewer rejected an external edit. */
export type PublicationKind = 'publish' | 'retire' | 'restore';

interface NewPublication {
  readonly id: string;
  /** The proposal that was decided. */
  readonly proposalId: string;
  readonly kind: PublicationKind;
  readonly skillName: string;
  /** The previous name of the skill, if this publication renames it. */
  readonly renamedFrom: string | null;
  readonly version: number;
  readonly artifact: string;
  readonly artifactSha256: string;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly journal: DecisionFacts['journal'];
  readonly decidedAt: Date;
}

export interface Publication extends NewPublication {
  readonly state: 'pending' | 'published';
  readonly attempts: number;
  readonly lastError: string | null;
  readonly commit: string | null;
  readonly publishedAt: Date | null;
}

/** Fields of a publication that git is compared with, its part, and the checksum of that part. */
export interface PublicationFacts
  extends Pick<Publication, 'proposalId' | 'kind' | 'skillName' | 'renamedFrom' | 'artifactSha256' | 'commit'> {
  readonly decidedAt: Date;
  readonly journalSeq: bigint;
  readonly part: number;
  readonly sum: string;
}

/** Decisions that git does not have yet. */
export const PENDING_PUBLICATIONS = (): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS "length", min("decided_at") AS "oldest" FROM "publication" WHERE "state" = 'pending'`;

const FACTS = selectColumns(
  ['proposalId', 'kind', 'skillName', 'renamedFrom', 'artifactSha256', 'commit', 'decidedAt', 'journalSeq'],
  'p',
);

type Row = Awaited<ReturnType<Tx['publication']['findUniqueOrThrow']>>;

const fromRow = ({ journalSeq, journalHash, journalSignature, ...row }: Row): Publication => ({
  ...row,
  journal: {
    seq: Number(journalSeq),
    hash: journalHash,
    ...(journalSignature === null ? {} : { signature: journalSignature }),
  },
});

@Injectable()
export class PublicationRepository {
  async create(tx: SqlClient, publications: readonly NewPublication[]): Promise<void> {
    const rows = publications.map(({ journal, ...publication }) => ({
      ...publication,
      journalSeq: journal.seq,
      journalHash: journal.hash,
      journalSignature: journal.signature ?? null,
      state: 'pending' as const,
      attempts: 0,
    }));
    await insertRows(tx, 'publication', rows);
  }

  /**
   * Decisions that git does not have yet, in the order in which they were made, except those about the skills of
   * `without`.
   */
  async pending(tx: Tx, limit: number, without: readonly string[]): Promise<Publication[]> {
    const rows = await tx.publication.findMany({
      where: { state: 'pending', skillName: { notIn: [...without] } },
      orderBy: [{ decidedAt: 'asc' }, { journalSeq: 'asc' }],
      take: limit,
    });
    return rows.map(fromRow);
  }

  /** The proposals of all decisions about skills. */
  async allProposals(tx: Tx): Promise<string[]> {
    return (await tx.publication.findMany({ select: { proposalId: true } })).map(({ proposalId }) => proposalId);
  }

  /** Compare-and-set: returns true for the one caller that acknowledged it. */
  async acknowledge(tx: Tx, id: string, commit: string, at: Date): Promise<boolean> {
    const { count } = await tx.publication.updateMany({
      where: { id, state: 'pending' },
      data: { state: 'published', commit, publishedAt: at, lastError: null },
    });
    return count === 1;
  }

  async recordFailure(tx: Tx, ids: readonly string[], error: string): Promise<void> {
    await tx.publication.updateMany({
      where: { id: { in: [...ids] }, state: 'pending' },
      data: { attempts: { increment: 1 }, lastError: error },
    });
  }

  async findByProposals(tx: Tx, proposalIds: readonly string[]): Promise<Publication[]> {
    const rows = await tx.publication.findMany({ where: { proposalId: { in: [...proposalIds] } } });
    return rows.map(fromRow);
  }

  /** The decisions about the skill of this name, in the order in which they were made. */
  async ofSkill(tx: Tx, skillName: string): Promise<Publication[]> {
    const rows = await tx.publication.findMany({
      where: { skillName },
      orderBy: [{ decidedAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(fromRow);
  }

  /**
   * Reads publications in 256 parts, each with a checksum. Returns the parts whose checksum differs from `sums`,
   * completely; none if nothing changed. One statement, so all parts are from one moment.
   */
  async changedFacts(tx: Tx, sums: ReadonlyMap<number, string>): Promise<PublicationFacts[]> {
    const known = JSON.stringify(Object.fromEntries(sums));
    return tx.$queryRaw<PublicationFacts[]>`
      WITH facts AS (SELECT ${FACTS}, get_byte(uuid_send(p."proposal_id"), 15) AS "part" FROM "publication" p),
        sums AS (SELECT "part", sum(hashtextextended(facts::text, 0))::text AS "sum" FROM facts GROUP BY "part")
      SELECT * FROM facts JOIN sums USING ("part") WHERE "sum" IS DISTINCT FROM ${known}::jsonb ->> "part"::text`;
  }

  /** Makes a publication pending again, because its commit is no longer on main. */
  async reopen(tx: Tx, proposalId: string): Promise<boolean> {
    const { count } = await tx.publication.updateMany({
      where: { proposalId, state: 'published' },
      data: { state: 'pending', commit: null, publishedAt: null },
    });
    return count === 1;
  }

  /** Records that another commit carries out the decision. */
  async setCommit(tx: Tx, proposalId: string, commit: string): Promise<boolean> {
    const { count } = await tx.publication.updateMany({
      where: { proposalId, commit: { not: commit } },
      data: { commit },
    });
    return count === 1;
  }
}
