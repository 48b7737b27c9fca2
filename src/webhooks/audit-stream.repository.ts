import { Injectable } from '@nestjs/common';
import type { ChainPosition } from '../journal/chain.js';
import type { Tx } from '../platform/database/database.js';
import { releaseLease, takeLease } from '../platform/database/lease.js';
import type { AuditStream } from './audit-streams.schema.js';

type Row = Awaited<ReturnType<Tx['auditStream']['findUniqueOrThrow']>>;

/** A stream as the worker sends it. */
export interface StreamTarget {
  readonly id: string;
  readonly kind: AuditStream['kind'];
  readonly target: string;
  /** Null for a file. */
  readonly secret: string | null;
  readonly acknowledged: ChainPosition;
  readonly failures: number;
}

export interface NewStream {
  readonly id: string;
  readonly kind: AuditStream['kind'];
  readonly target: string;
  readonly secret: string | null;
  readonly from: ChainPosition;
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

export interface StreamFailure {
  readonly at: Date;
  readonly nextAttemptAt: Date;
  readonly status: number | null;
  /** Redacted, then clipped. */
  readonly answer: string;
}

const leaseOf = (id: string): string => `audit-stream-${id}`;
// The database admits only these two.
const kindOf = (row: Row): AuditStream['kind'] => (row.kind === 'file' ? 'file' : 'webhook');

const toTarget = (row: Row): StreamTarget => ({
  id: row.id,
  kind: kindOf(row),
  target: row.target,
  secret: row.secret,
  failures: row.failures,
  acknowledged: { seq: Number(row.acknowledgedSeq), hash: row.acknowledgedHash },
});

/** `secret` stays here: no answer holds it. */
const toStream = (row: Row, head: number): AuditStream => ({
  id: row.id,
  kind: kindOf(row),
  target: row.target,
  acknowledged: Number(row.acknowledgedSeq),
  acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
  pending: Math.max(0, head - Number(row.acknowledgedSeq)),
  failures: row.failures,
  failingSince: row.failingSince?.toISOString() ?? null,
  nextAttemptAt: row.failingSince === null ? null : row.nextAttemptAt.toISOString(),
  lastStatus: row.lastStatus,
  lastAnswer: row.lastAnswer,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
});

@Injectable()
export class AuditStreamRepository {
  async create(tx: Tx, head: number, { from, ...stream }: NewStream): Promise<AuditStream> {
    const row = await tx.auditStream.create({
      data: {
        ...stream,
        acknowledgedSeq: BigInt(from.seq),
        acknowledgedHash: from.hash,
        nextAttemptAt: stream.createdAt,
      },
    });
    return toStream(row, head);
  }

  async list(tx: Tx, head: number): Promise<AuditStream[]> {
    const rows = await tx.auditStream.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    return rows.map((row) => toStream(row, head));
  }

  count(tx: Tx, kind: AuditStream['kind']): Promise<number> {
    return tx.auditStream.count({ where: { kind } });
  }

  async find(tx: Tx, id: string): Promise<StreamTarget | undefined> {
    const row = await tx.auditStream.findUnique({ where: { id } });
    return row ? toTarget(row) : undefined;
  }

  async has(tx: Tx, kind: AuditStream['kind'], target: string): Promise<boolean> {
    return (await tx.auditStream.count({ where: { kind, target } })) > 0;
  }

  /** Deletes the stream with its lease. Returns false if it was deleted before. */
  async remove(tx: Tx, id: string): Promise<boolean> {
    const { count } = await tx.auditStream.deleteMany({ where: { id } });
    await tx.lease.deleteMany({ where: { name: leaseOf(id) } });
    return count === 1;
  }

  /** The streams that are due and that this process can serve: every webhook, and its own file. */
  async due(tx: Tx, now: Date, ownFile: string | undefined): Promise<string[]> {
    const rows = await tx.auditStream.findMany({
      where: {
        nextAttemptAt: { lte: now },
        OR: [{ kind: 'webhook' }, ...(ownFile === undefined ? [] : [{ kind: 'file', target: ownFile }])],
      },
      select: { id: true },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ id }) => id);
  }

  /** Claims a due stream for `holder`. Undefined while another process has it, or it is not due. */
  async claim(
    tx: Tx,
    id: string,
    { holder, now, ms }: { holder: string; now: Date; ms: number },
  ): Promise<StreamTarget | undefined> {
    const row = await tx.auditStream.findUnique({ where: { id, nextAttemptAt: { lte: now } } });
    return row && (await takeLease(tx, leaseOf(id), holder, now, ms)) ? toTarget(row) : undefined;
  }

  release(tx: Tx, id: string, holder: string): Promise<void> {
    return releaseLease(tx, leaseOf(id), holder);
  }

  /** Compare-and-set: moves the cursor from where it was when the entries were read. False if another process did. */
  async acknowledge(
    tx: Tx,
    { id, acknowledged }: StreamTarget,
    { seq, hash }: ChainPosition,
    { at, status }: { at: Date; status: number | null },
  ): Promise<boolean> {
    const { count } = await tx.auditStream.updateMany({
      where: { id, acknowledgedSeq: BigInt(acknowledged.seq) },
      data: {
        acknowledgedSeq: BigInt(seq),
        acknowledgedHash: hash,
        acknowledgedAt: at,
        failures: 0,
        failingSince: null,
        nextAttemptAt: at,
        lastStatus: status,
        lastAnswer: null,
      },
    });
    return count === 1;
  }

  /** Notes a failed attempt, unless another process moved the cursor meanwhile. */
  async fail(tx: Tx, { id, acknowledged, failures }: StreamTarget, failure: StreamFailure): Promise<void> {
    const { at, nextAttemptAt, status, answer } = failure;
    await tx.auditStream.updateMany({
      where: { id, acknowledgedSeq: BigInt(acknowledged.seq), failures },
      data: {
        failures: { increment: 1 },
        nextAttemptAt,
        lastStatus: status,
        lastAnswer: answer,
        ...(failures === 0 ? { failingSince: at } : {}),
      },
    });
  }
}
