import { Injectable } from '@nestjs/common';
import { Batcher } from '../platform/background/batcher.js';
import { ScheduledJob } from '../platform/background/scheduled-jobs.service.js';
import { Clock } from '../platform/base/clock.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { MINUTE_MS } from '../platform/base/durations.js';
import { Database, isUniqueViolation } from '../platform/database/database.js';
import { type ChainEntry, type ChainPosition, findChainBreak, GENESIS } from './chain.js';
import { type Anchor, ChainAudit, type ChainBreak } from './chain-audit.js';
import { readCheckpoint } from './checkpoint.js';
import { JournalRepository, type StoredCheckpoint } from './journal.repository.js';
import type { InclusionProof, JournalCheckpoint, JournalExportQuery, JournalVerification } from './journal.schema.js';
import { JournalKey } from './journal-key.service.js';
import { Frontier, proofRanges } from './merkle.js';

const PAGE = 1_000;
/** Rows that take two milliseconds to read and to write as JSON. */
const EXPORT_PAGE = 100;
/** More than the number of simultaneous callers. */
const MAX_SHARED_CALLERS = 10_000;

/** Called after each page with the number of verified entries and the total. */
type OnProgress = (read: number, of: number) => void;

/** Signs the journal, proves that it contains an entry, and finds manipulated entries. */
@Injectable()
export class JournalAudit {
  private readonly verifications = new Batcher<OnProgress, JournalVerification>(MAX_SHARED_CALLERS, async (all) => {
    const found = await this.verifyOnce((read, of) => {
      for (const onProgress of all) onProgress(read, of);
    });
    return all.map(() => found);
  });

  constructor(
    private readonly database: Database,
    private readonly entries: JournalRepository,
    private readonly key: JournalKey,
    private readonly clock: Clock,
  ) {}

  /**
   * Verifies the whole journal, page by page, against its head and every checkpoint. A verification reads every entry
   * and any reader may request one, so callers that arrive during one share the next. That one starts after their call
   * and therefore sees the state at that time.
   */
  verify(onProgress: OnProgress = () => undefined): Promise<JournalVerification> {
    return this.verifications.submit(onProgress);
  }

  private async verifyOnce(onProgress: OnProgress): Promise<JournalVerification> {
    const head = await this.entries.head(this.database.client);
    const recorded: Anchor = { ...head, label: 'the recorded head' };
    const audit = new ChainAudit();
    const signatures = { signed: 0, unknown: 0 };
    const readAll = async (): Promise<ChainBreak | undefined> => {
      for await (const page of this.pages(1, head.seq)) {
        const from = audit.position.seq;
        const to = page.at(-1)?.seq ?? from;
        const anchors = await this.anchors(from, to, signatures);
        const broken = audit.read(page, to === head.seq ? [...anchors, recorded] : anchors);
        if (broken) return broken;
        onProgress(audit.position.seq, head.seq);
      }
      return audit.end([recorded, ...(await this.anchors(head.seq, Number.MAX_SAFE_INTEGER, signatures))]);
    };
    const broken = (await readAll()) ?? null;
    const { seq, hash } = head;
    return {
      intact: broken === null,
      entries: audit.position.seq,
      head: { seq, hash },
      firstBroken: broken,
      checkpoints: signatures,
    };
  }

  /**
   * Signs the head unless it is signed already. Returns whether it signed. Reads the entries after the last own
   * checkpoint, or all of them if there is none. Throws if these entries are broken, because a signature would make
   * them look intact.
   */
  @ScheduledJob({
    name: 'journal-checkpoint',
    schedule: ({ journalCheckpointMinutes }) => ({ everyMs: journalCheckpointMinutes * MINUTE_MS }),
  })
  async sign(): Promise<boolean> {
    const head = await this.entries.head(this.database.client);
    const last = await this.entries.lastCheckpoint(this.database.client);
    const { at, tree } = (last && this.resume(last)) ?? { at: { seq: 0, hash: GENESIS }, tree: Frontier.empty() };
    if (head.seq <= at.seq) return false;
    let position: ChainPosition = at;
    for await (const page of this.pages(at.seq + 1, head.seq)) {
      const broken = findChainBreak(page, position);
      if (broken) throw new Error(`the journal is broken at entry ${broken.seq} and was not signed: ${broken.reason}`);
      for (const { hash } of page) tree.append(hash);
      position = page.at(-1) ?? position;
    }
    if (position.seq !== head.seq || position.hash !== head.hash)
      throw new Error(`the journal does not end at its head (entry ${head.seq}) and was not signed`);
    const note = this.key.signCheckpoint({ size: tree.size, root: tree.root(), chain: position.hash });
    try {
      await this.entries.addCheckpoint(this.database.client, {
        size: tree.size,
        at: this.clock.now(),
        note,
        subtrees: [...tree.subtrees],
      });
      return true;
    } catch (error) {
      // Another server signed the same head.
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /** Returns the newest signed head. Throws `not_found` before the first one. */
  async checkpoint(): Promise<JournalCheckpoint> {
    const last = await this.entries.lastCheckpoint(this.database.client);
    if (!last) throw new DomainError('not_found', 'journal.not_signed', 'The journal has no signed head yet.');
    const { size, at, note } = last;
    return { size, at: at.toISOString(), note, verifierKey: this.key.ownVerifierKey() };
  }

  /** Returns a proof that the newest signed head covers entry `seq`. Throws `not_found` while it does not. */
  async prove(seq: number): Promise<InclusionProof> {
    const checkpoint = await this.checkpoint();
    const [entry] = await this.entries.after(this.database.client, seq - 1, 1);
    if (entry?.seq !== seq) throw new DomainError('not_found', 'journal.no_entry', `The journal has no entry ${seq}.`);
    if (seq > checkpoint.size)
      throw new DomainError(
        'not_found',
        'journal.not_signed',
        `Entry ${seq} is not signed yet. Try again in a few minutes.`,
      );
    const ranges = proofRanges(seq - 1, checkpoint.size).map((range) => ({ range, tree: Frontier.empty() }));
    for await (const page of this.pages(1, checkpoint.size))
      for (const { seq: number, hash } of page)
        ranges.find(({ range: [from, to] }) => from < number && number <= to)?.tree.append(hash);
    return { entry, path: ranges.map(({ tree }) => tree.root()), checkpoint };
  }

  /** Returns the stored rows, oldest first. */
  export({ after, limit }: JournalExportQuery): Promise<ChainEntry[]> {
    return this.entries.after(this.database.client, after, limit);
  }

  /** The lines of the stored rows, oldest first, read page by page as they are consumed. */
  async *exportLines({ after, limit }: JournalExportQuery): AsyncGenerator<string> {
    for (let [from, left] = [after, limit]; left > 0; ) {
      const page = await this.export({ after: from, limit: Math.min(left, EXPORT_PAGE) });
      if (page.length > 0) yield page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      if (page.length < EXPORT_PAGE) return;
      left -= page.length;
      from = page.at(-1)?.seq ?? from;
    }
  }

  private async *pages(from: number, to: number): AsyncGenerator<ChainEntry[]> {
    for (let at = from - 1; at < to; ) {
      const page = (await this.entries.after(this.database.client, at, PAGE)).filter(({ seq }) => seq <= to);
      const last = page.at(-1);
      if (!last) return;
      yield page;
      at = last.seq;
    }
  }

  /** Returns the checkpoints after entry `from`, up to `to`, that a trusted key signed; counts the others. */
  private async anchors(from: number, to: number, signatures: { signed: number; unknown: number }): Promise<Anchor[]> {
    const stored = await this.entries.checkpoints(this.database.client, from, to);
    return stored.flatMap(({ size, note }) => {
      const checkpoint = readCheckpoint(note);
      if (!checkpoint || !this.key.isTrusted(note)) {
        signatures.unknown += 1;
        return [];
      }
      signatures.signed += 1;
      // Uses the position of the row, not the one in the note: a note that was moved to another row then fails
      // verification instead of being skipped.
      return [{ seq: size, hash: checkpoint.chain, root: checkpoint.root, label: 'the signed checkpoint' }];
    });
  }

  /** Uses the stored subtrees as a shortcut, but only if they produce the signed root. */
  private resume({ size, note, subtrees }: StoredCheckpoint): { at: ChainPosition; tree: Frontier } | undefined {
    const signed = readCheckpoint(note);
    const tree = Frontier.of(size, subtrees);
    if (!tree || !signed || !this.key.isTrusted(note) || signed.size !== size || signed.root !== tree.root())
      return undefined;
    return { at: { seq: size, hash: signed.chain }, tree };
  }
}
