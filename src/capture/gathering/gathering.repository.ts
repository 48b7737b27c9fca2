import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Tx } from '../../platform/database/database.js';
import type { NewPiece, Stage, StoredPiece } from '../importers/gathered-format.js';
import type { Due } from './gathering.js';

const Findings = z.array(z.object({ rule: z.string(), count: z.int() }));

export interface OpenGathering {
  readonly id: string;
  readonly pieceCount: number;
  readonly due: Due;
}

/** A gathering whose time has come. */
export interface DueGathering {
  readonly id: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly format: string;
  readonly key: string;
  readonly stage: Stage;
  /** Changes with every piece. */
  readonly lastPieceAt: Date;
  readonly pieceCount: number;
}

@Injectable()
export class GatheringRepository {
  /** The gathering of this key, made where there is none, locked for the rest of the transaction. */
  async open(
    tx: Tx,
    gathering: { id: string; agentId: string; format: string; key: string },
    now: Date,
    expiresAt: Date,
  ): Promise<OpenGathering> {
    const { id, agentId, format, key } = gathering;
    const [row] = await tx.$queryRaw<{ id: string; piece_count: number; stage: Due['stage']; due_at: Date | null }[]>`
      INSERT INTO "gathering" ("id", "agent_id", "format", "key", "piece_count", "last_piece_at", "expires_at")
      VALUES (${id}::uuid, ${agentId}::uuid, ${format}, ${key}, 0, ${now}, ${expiresAt})
      ON CONFLICT ("agent_id", "format", "key") DO UPDATE SET "format" = EXCLUDED."format"
      RETURNING "id", "piece_count", "stage"::text AS "stage", "due_at"`;
    if (row === undefined) throw new Error('an upsert returned no row');
    return { id: row.id, pieceCount: row.piece_count, due: { stage: row.stage, at: row.due_at } };
  }

  /** How many of them are new: a piece that was sent twice is one. */
  async add(tx: Tx, gatheringId: string, pieces: readonly NewPiece[]): Promise<number> {
    const { count } = await tx.gatheredPiece.createMany({
      data: pieces.map(({ key, parentKey, joinKey, facts, findings }) => ({
        gatheringId,
        key,
        parentKey: parentKey ?? null,
        joinKey: joinKey ?? null,
        facts: { ...facts },
        findings: findings.map((finding) => ({ ...finding })),
      })),
      skipDuplicates: true,
    });
    return count;
  }

  async grown(tx: Tx, id: string, added: number, due: Due, now: Date, expiresAt: Date): Promise<void> {
    await tx.gathering.update({
      where: { id },
      data: {
        pieceCount: { increment: added },
        lastPieceAt: now,
        expiresAt,
        stage: due.stage,
        dueAt: due.at,
      },
    });
  }

  /** The one that has waited longest. */
  async nextDue(tx: Tx, now: Date): Promise<DueGathering | undefined> {
    const row = await tx.gathering.findFirst({
      where: { OR: [{ dueAt: { lte: now } }, { expiresAt: { lte: now } }] },
      orderBy: [{ dueAt: { sort: 'asc', nulls: 'last' } }, { expiresAt: 'asc' }],
      include: { agent: { select: { id: true, name: true } } },
    });
    if (row === null) return undefined;
    const { id, agent, format, key, lastPieceAt, pieceCount } = row;
    const stage = row.expiresAt <= now || row.stage === null ? 'expired' : row.stage;
    return { id, agent, format, key, lastPieceAt, pieceCount, stage };
  }

  async pieces(tx: Tx, gatheringId: string): Promise<StoredPiece[]> {
    const rows = await tx.gatheredPiece.findMany({ where: { gatheringId }, orderBy: { key: 'asc' } });
    return rows.map(({ key, parentKey, joinKey, facts, findings }) => ({
      key,
      parentKey,
      joinKey,
      facts,
      findings: Findings.parse(findings),
    }));
  }

  /** Nothing more to do for now; not where a piece has come meanwhile. */
  async settle(tx: Tx, { id, pieceCount, lastPieceAt }: DueGathering): Promise<void> {
    await tx.gathering.updateMany({ where: { id, pieceCount, lastPieceAt }, data: { dueAt: null } });
  }

  async postpone(tx: Tx, { id }: DueGathering, until: Date): Promise<void> {
    await tx.gathering.updateMany({ where: { id }, data: { dueAt: until, expiresAt: until } });
  }

  async remove(tx: Tx, { id, pieceCount, lastPieceAt }: DueGathering): Promise<void> {
    await tx.gathering.deleteMany({ where: { id, pieceCount, lastPieceAt } });
  }
}
