import { Injectable, Logger } from '@nestjs/common';
import { canonicalJson } from '../platform/base/canonical-json.js';
import { Clock } from '../platform/base/clock.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { messageOf } from '../platform/base/error-text.js';
import { readRows } from '../platform/database/damaged-rows.js';
import { Database, isWriteConflict } from '../platform/database/database.js';
import type { SqlClient } from '../platform/database/sql-client.js';
import { redactName } from '../untrusted/redaction/credential-in-name.js';
import { redact } from '../untrusted/redaction/redact.js';
import { redactDeep } from '../untrusted/redaction/redact-deep.js';
import type { Actor } from './actor.js';
import { type ChainEntry, type ChainPosition, entryHash } from './chain.js';
import { JournalRepository, type Mention } from './journal.repository.js';
import type { JournalEntry, JournalPage, JournalQuery } from './journal.schema.js';

export interface JournalRecord {
  /** What happened, dotted and stable: `proposal.approved`. */
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A record with its actor. */
export interface AttributedRecord extends JournalRecord {
  readonly actor: Actor;
}

type Follower = (tx: SqlClient, records: readonly JournalRecord[]) => Promise<void>;

@Injectable()
export class Journal {
  private readonly logger = new Logger(Journal.name);
  private readonly followers: Follower[] = [];

  constructor(
    private readonly database: Database,
    private readonly entries: JournalRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Calls the follower with the records of every append, before they are redacted, in the transaction that writes them:
   * what it writes is there if the entries are. It is called before the head is locked.
   */
  follow(follower: Follower): void {
    this.followers.push(follower);
  }

  /**
   * Appends one entry in the caller's transaction and returns its position in the chain. Throws `unavailable` if the
   * journal cannot be written, so that the recorded action does not happen either.
   */
  async append(tx: SqlClient, actor: Actor, record: JournalRecord): Promise<ChainPosition> {
    const [position] = await this.appendAll(tx, [{ ...record, actor }]);
    if (!position) throw new Error('the appended entry has no position in the journal');
    return position;
  }

  /** Appends many entries in order. Without records it does not query the database. */
  async appendAll(tx: SqlClient, records: readonly AttributedRecord[]): Promise<ChainPosition[]> {
    if (records.length === 0) return [];
    for (const follow of this.followers) await follow(tx, records);
    try {
      return await this.write(tx, records);
    } catch (error) {
      if (isWriteConflict(error)) throw error;
      this.logger.error(redact(messageOf(error)).text);
      throw new DomainError(
        'unavailable',
        'journal.unavailable',
        'The journal cannot be written, so nothing was changed. Try again; the server log has the details.',
      );
    }
  }

  private async write(tx: SqlClient, records: readonly AttributedRecord[]): Promise<ChainPosition[]> {
    // Prepared before the head is locked, because every other append waits for it.
    const { value: data } = redactDeep(records.map((record) => record.data ?? {}));
    const contents = records.map((record, n) => this.contentOf(record, data[n]));
    let { seq, hash } = await this.entries.lockHead(tx);
    const at = this.clock.now().toISOString();
    const entries = contents.map((content): ChainEntry => {
      const unsigned = { ...content, seq: seq + 1, at, previousHash: hash };
      ({ seq, hash } = { seq: unsigned.seq, hash: entryHash(unsigned) });
      return { ...unsigned, hash };
    });
    await this.entries.append(tx, entries);
    return entries.map((entry) => ({ seq: entry.seq, hash: entry.hash }));
  }

  private contentOf({ actor, action, subject }: AttributedRecord, data: unknown) {
    return {
      actorKind: actor.kind,
      actorId: actor.id,
      actorName: redactName(actor.name),
      action,
      subjectType: subject.type,
      subjectId: subject.id,
      data: canonicalJson(data),
    };
  }

  /** The first entry for each mention, by its key. Those without an entry are missing. */
  async firstMentions(mentions: readonly Mention[]): Promise<Map<string, JournalEntry>> {
    const found = await this.entries.firstMentions(this.database.client, mentions);
    return new Map([...found].map(([key, entry]) => [key, toEntry(entry)]));
  }

  /** The last entry; number 0 before the first. */
  head(): Promise<ChainPosition> {
    return this.entries.head(this.database.client);
  }

  async list(query: JournalQuery): Promise<JournalPage> {
    const rows = await this.entries.list(this.database.client, query);
    const last = rows.at(-1);
    return {
      items: readRows('journal_entry', rows, toEntry),
      next: rows.length === query.limit && last ? last.seq : null,
    };
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
