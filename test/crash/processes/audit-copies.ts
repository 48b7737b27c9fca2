import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { ChainEntry } from '../../../src/journal/chain.js';
import { type Receiver, startReceiver } from '../../support/webhook-receiver.js';

/** A killed process holds a stream for a minute. */
const CAUGHT_UP_MS = 120_000;

export interface AuditFaults {
  readonly missing: string[];
  readonly doubled: string[];
}

export const auditFileIn = (folder: string): string => join(folder, 'audit.jsonl');

/**
 * Two copies of the journal that audit streams keep while processes are killed: a receiver, which may get entries again but
 * never with a gap, and a file, which holds each entry once.
 */
export class AuditCopies {
  private receiver: Receiver | undefined;
  private seen = 0;
  /** By `seq`, from 1 without a gap. */
  private readonly received: string[] = [];
  private readonly gaps: string[] = [];
  /** Entries that came more than once, for the figures. */
  again = 0;

  constructor(private readonly folder: string) {}

  /** Returns the address for the stream. */
  async listen(): Promise<string> {
    this.receiver = await startReceiver();
    return this.receiver.url;
  }

  /** Waits until both copies hold what the journal holds now, and compares them with it. */
  async faults(pool: pg.Pool): Promise<AuditFaults> {
    const { rows } = await pool.query(`SELECT "hash" FROM "journal_entry" ORDER BY "seq"`);
    const stored = rows.map(({ hash }) => String(hash));
    const until = performance.now() + CAUGHT_UP_MS;
    while (this.read() < stored.length && performance.now() < until) await sleep(100);
    const file = await this.file(stored.length, until);
    return {
      missing: [
        ...this.gaps.splice(0),
        ...differences('the receiver of the audit stream', this.received, stored),
        ...differences('the audit file', file.hashes, stored),
      ],
      doubled: file.again.map((seq) => `entry ${seq} is in the audit file again`),
    };
  }

  close(): Promise<void> {
    return this.receiver?.close() ?? Promise.resolve();
  }

  /** Takes what came since, in the order of its arrival. Returns how many entries there are. */
  private read(): number {
    const messages = this.receiver?.messages ?? [];
    for (const { body } of messages.slice(this.seen)) {
      for (const { seq, hash } of JSON.parse(body).entries as ChainEntry[]) {
        if (seq > this.received.length + 1)
          this.gaps.push(`the receiver got entry ${seq} after ${this.received.length}`);
        if (seq <= this.received.length) this.again += 1;
        this.received[seq - 1] ??= hash;
        if (this.received[seq - 1] !== hash) this.gaps.push(`the receiver got entry ${seq} with two contents`);
      }
    }
    this.seen = messages.length;
    return this.received.length;
  }

  private async file(length: number, until: number): Promise<{ hashes: string[]; again: number[] }> {
    for (;;) {
      const lines = readFileSync(auditFileIn(this.folder), 'utf8').split('\n').slice(0, -1);
      if (lines.length < length && performance.now() < until) {
        await sleep(100);
        continue;
      }
      const hashes: string[] = [];
      const again: number[] = [];
      for (const line of lines) {
        const { seq, hash } = JSON.parse(line) as ChainEntry;
        if (seq <= hashes.length) again.push(seq);
        else hashes[seq - 1] = hash;
      }
      return { hashes, again };
    }
  }
}

function differences(what: string, copy: readonly string[], stored: readonly string[]): string[] {
  const at = stored.findIndex((hash, index) => copy[index] !== hash);
  return at < 0 ? [] : [`${what} lacks entry ${at + 1} of ${stored.length}, or has another one in its place`];
}
