import { Injectable, Logger } from '@nestjs/common';
import { canonicalJson } from '../platform/canonical-json.js';
import { Clock } from '../platform/clock.js';
import { Database, isWriteConflict, type Tx } from '../platform/database.js';
import { DomainError } from '../platform/domain.errors.js';
import { redact } from '../untrusted/redact.js';
import { redactDeep } from '../untrusted/redact-deep.js';
import type { Actor } from './actor.js';
import { type ChainEntry, type ChainPosition, entryHash } from './chain.js';
import { JournalRepository } from './journal.repository.js';
import type { JournalEntry, JournalPage, JournalQuery } from './journal.schema.js';

export interface JournalRecord {
  /** What happened, dotted and stable: `approval.approved`. */
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
  readonly data?: Readonly<Record<string, unknown>>;
}

@Injectable()
export class Journal {
  private readonly logger = new Logger(Journal.name);

  constructor(
    private readonly database: Database,
    private readonly entries: JournalRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends one entry in the caller's transaction. Returns the entry's place in the chain. Throws `unavailable` when
   * the journal cannot be written, and then what it records does not happen.
   */
  async append(tx: Tx, actor: Actor, record: JournalRecord): Promise<ChainPosition> {
    try {
      return await this.write(tx, actor, record);
    } catch (error) {
      if (isWriteConflict(error)) throw error;
      this.logger.error(redact(error instanceof Error ? error.message : String(error)).text);
      throw new DomainError(
        'unavailable',
        'journal.unavailable',
        'The journal cannot be written, so nothing was done. Try again; the server log says what is wrong.',
      );
    }
  }

  private async write(tx: Tx, actor: Actor, record: JournalRecord): Promise<ChainPosition> {
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
