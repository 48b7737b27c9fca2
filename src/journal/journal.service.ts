import { Injectable } from '@nestjs/common';
import { canonicalJson } from '../platform/canonical-json.js';
import { Clock } from '../platform/clock.js';
import { Database, type Tx } from '../platform/database.js';
import { redactDeep } from '../untrusted/redact-deep.js';
import type { Actor } from './actor.js';
import { type ChainEntry, type ChainPosition, entryHash, firstBreak, GENESIS } from './chain.js';
import { JournalRepository } from './journal.repository.js';
import type { JournalEntry, JournalPage, JournalQuery, JournalVerification } from './journal.schema.js';

export interface JournalRecord {
  /** What happened, dotted and stable: `approval.approved`. */
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
  readonly data?: Readonly<Record<string, unknown>>;
}

const VERIFY_PAGE = 1_000;

@Injectable()
export class Journal {
  constructor(
    private readonly database: Database,
    private readonly entries: JournalRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends one entry in the caller's transaction: when the journal cannot be written, what it records does not
   * happen. Returns the entry's place in the chain.
   */
  async append(tx: Tx, actor: Actor, record: JournalRecord): Promise<ChainPosition> {
    const head = await this.entries.lockHead(tx);
    const unsigned = {
      seq: head.seq + 1,
      at: this.clock.now().toISOString(),
      actorKind: actor.kind,
      actorId: actor.id,
      actorName: redactDeep(actor.name).value,
      action: record.action,
      subjectType: record.subject.type,
      subjectId: record.subject.id,
      data: canonicalJson(redactDeep(record.data ?? {}).value),
      previousHash: head.hash,
    };
    const entry = { ...unsigned, hash: entryHash(unsigned) };
    await this.entries.append(tx, entry);
    return { seq: entry.seq, hash: entry.hash };
  }

  async list(query: JournalQuery): Promise<JournalPage> {
    const rows = await this.entries.list(this.database.client, query);
    const last = rows.at(-1);
    return { items: rows.map(toEntry), next: rows.length === query.limit && last ? last.seq : null };
  }

  /** Walks the whole chain in pages, and compares its end with the stored head, so that a cut tail shows. */
  async verify(): Promise<JournalVerification> {
    let at: ChainPosition = { seq: 0, hash: GENESIS };
    const head = await this.entries.head(this.database.client);
    const answer = (broken: JournalVerification['firstBroken']): JournalVerification => ({
      intact: broken === null,
      entries: at.seq,
      head,
      firstBroken: broken,
    });
    while (at.seq < head.seq) {
      const page = (await this.entries.after(this.database.client, at.seq, VERIFY_PAGE)).filter(
        (e) => e.seq <= head.seq,
      );
      const broken = firstBreak(page, at);
      if (broken) return answer(broken);
      const last = page.at(-1);
      if (!last) return answer({ seq: at.seq + 1, reason: `the journal ends before its head at ${head.seq}` });
      at = { seq: last.seq, hash: last.hash };
    }
    return answer(at.hash === head.hash ? null : { seq: at.seq, reason: 'is not the head that was recorded' });
  }
}

function toEntry(entry: ChainEntry): JournalEntry {
  return {
    seq: entry.seq,
    at: entry.at,
    actor: { kind: entry.actorKind, id: entry.actorId, name: entry.actorName },
    action: entry.action,
    subject: { type: entry.subjectType, id: entry.subjectId },
    data: JSON.parse(entry.data),
    previousHash: entry.previousHash,
    hash: entry.hash,
  };
}
