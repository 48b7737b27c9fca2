import { Injectable } from '@nestjs/common';
import { type ChainEntry, type ChainPosition, findChainBreak } from '../journal/chain.js';
import { JournalAudit } from '../journal/journal-audit.service.js';
import { Clock } from '../platform/base/clock.js';
import { messageOf as textOf } from '../platform/base/error-text.js';
import { AuditFile, firstBatch, MAX_ENTRIES, messageId, messageOf } from './audit-file.service.js';
import type { StreamTarget } from './audit-stream.repository.js';
import { shownAnswer, WebhookSender } from './webhook-sender.service.js';

/** The result of one attempt; without `end`, the receiver acknowledged nothing. */
export interface SendResult {
  /** The last entry that the receiver has now. */
  readonly end?: ChainPosition;
  readonly status: number | null;
  readonly answer: string;
}

const failed = (reason: string): SendResult => ({ status: null, answer: shownAnswer(reason) });

/** Sends the next entries of a stream, in the order of the journal. */
@Injectable()
export class AuditStreamSender {
  constructor(
    private readonly clock: Clock,
    private readonly journal: JournalAudit,
    private readonly file: AuditFile,
    private readonly sender: WebhookSender,
  ) {}

  /** Makes one attempt. Undefined if there is nothing to send. */
  async send(stream: StreamTarget): Promise<SendResult | undefined> {
    const from = stream.kind === 'file' ? await this.endOfFile(stream) : stream.acknowledged;
    if ('answer' in from) return from;
    // Entries become visible in the order of `seq`: each append holds the lock of the head until its commit.
    const entries = await this.journal.export({ after: from.seq, limit: MAX_ENTRIES });
    const broken = findChainBreak(entries, from);
    // What is broken is not sent: the receiver would have a gap, and could not tell it from a lost message.
    const intact = firstBatch(broken ? entries.filter(({ seq }) => seq < broken.seq) : entries);
    if (intact.length > 0) return stream.kind === 'file' ? this.append(stream, intact) : this.post(stream, intact);
    if (broken) return failed(`the journal is broken at entry ${broken.seq}: ${broken.reason}`);
    return from.seq > stream.acknowledged.seq ? { end: from, status: null, answer: '' } : undefined;
  }

  private async post(stream: StreamTarget, entries: readonly ChainEntry[]): Promise<SendResult> {
    const body = messageOf(stream.id, entries);
    // The database has a secret for every webhook.
    const message = { url: stream.target, secret: stream.secret ?? '', id: messageId(stream.id, entries), body };
    const { isAccepted, status, answer } = await this.sender.send(message, this.clock.now());
    return { ...(isAccepted ? endOf(entries) : {}), status, answer };
  }

  private async append(stream: StreamTarget, entries: readonly ChainEntry[]): Promise<SendResult> {
    try {
      await this.file.append(stream.target, entries);
      return { ...endOf(entries), status: null, answer: '' };
    } catch (error) {
      return failed(textOf(error));
    }
  }

  /**
   * Where the file ends. It can be ahead of the cursor, after a kill between the write and the acknowledgement or after
   * the database was restored; then it has to hold this journal.
   */
  private async endOfFile({ target, acknowledged }: StreamTarget): Promise<ChainPosition | SendResult> {
    try {
      const end = await this.file.end(target);
      if (!end) return acknowledged;
      if (end.seq < acknowledged.seq)
        return failed(
          `the file ends at entry ${end.seq}, but had entries up to ${acknowledged.seq}; move it away to go on in a new one`,
        );
      const [entry] = await this.journal.export({ after: end.seq - 1, limit: 1 });
      if (entry?.seq !== end.seq || entry.hash !== end.hash)
        return failed(
          `entry ${end.seq} of the file is not that of the journal; move the file away to go on in a new one`,
        );
      return end;
    } catch (error) {
      return failed(textOf(error));
    }
  }
}

function endOf(entries: readonly ChainEntry[]): { end?: ChainPosition } {
  const last = entries.at(-1);
  return last ? { end: { seq: last.seq, hash: last.hash } } : {};
}
