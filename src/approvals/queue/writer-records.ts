import { compareText } from '../../platform/base/compare-text.js';
import { REJECTION_REASONS, type RejectionKind, rejectionKindOf } from '../texts/rejection-reason.schema.js';
import type { WriterRecord } from './writer-record.schema.js';

/** Proposals of one writer with one fate. */
export interface WrittenProposals {
  readonly writer: string;
  readonly state: 'pending' | 'approved' | 'rejected' | 'expired' | 'withdrawn';
  /** A person edited them. */
  readonly edited: boolean;
  /** The beginning of the reason of a rejection. */
  readonly reason: string;
  readonly n: number;
}

/** Returns the record of each writer, those of the most proposals first. */
export function writerRecords(rows: readonly WrittenProposals[]): WriterRecord[] {
  const byWriter = new Map<string, WrittenProposals[]>();
  for (const row of rows) byWriter.set(row.writer, [...(byWriter.get(row.writer) ?? []), row]);
  return [...byWriter]
    .map(([writer, all]) => recordOf(writer, all))
    .sort((a, b) => b.submitted - a.submitted || compareText(a.writer, b.writer));
}

function recordOf(writer: string, rows: readonly WrittenProposals[]): WriterRecord {
  const sum = (counts: (row: WrittenProposals) => boolean): number =>
    rows.filter(counts).reduce((all, { n }) => all + n, 0);
  const isDecided = ({ state }: WrittenProposals): boolean => state === 'approved' || state === 'rejected';
  const of = (state: WrittenProposals['state']): number => sum((row) => row.state === state);
  const [approved, rejected, decided] = [of('approved'), of('rejected'), sum(isDecided)];
  const edited = sum((row) => isDecided(row) && row.edited);
  return {
    writer,
    submitted: sum(() => true),
    pending: of('pending'),
    approved,
    rejected,
    ended: of('expired') + of('withdrawn'),
    edited,
    shares:
      decided === 0 ? null : { approved: approved / decided, edited: edited / decided, rejected: rejected / decided },
    reasons: reasonsOf(rows.filter(({ state }) => state === 'rejected')),
  };
}

function reasonsOf(rows: readonly WrittenProposals[]): WriterRecord['reasons'] {
  const counts = new Map<RejectionKind, number>();
  for (const { reason, n } of rows) {
    const kind = rejectionKindOf(reason);
    counts.set(kind, (counts.get(kind) ?? 0) + n);
  }
  return [...REJECTION_REASONS, 'other' as const]
    .map((reason) => ({ reason, n: counts.get(reason) ?? 0 }))
    .filter(({ n }) => n > 0)
    .sort((a, b) => b.n - a.n);
}
