import { type Anchor, ChainAudit, type ChainBreak } from '../../journal/chain-audit.js';
import { Frontier } from '../../journal/merkle.js';
import type { RowSession } from '../../platform/database/whole-database.js';
import { ApprovedContent } from './approved-content.repository.js';
import type { JournalKeys } from './journal-keys.js';
import { JournalRows } from './journal-rows.repository.js';
import { OperationError } from './operation.errors.js';

/**
 * What replaces the triggers of the gate for rows that are copied: the journal verifies to its signed head, and every
 * org memory, published skill and decided proposal has its approval by people, of exactly its bytes and in that
 * journal. Throws `OperationError`.
 */
export async function verifyRows(session: RowSession, keys: JournalKeys): Promise<VerifiedJournal> {
  const journal = await verifyJournal(session, keys);
  const [first] = await new ApprovedContent(session.sql).unapproved();
  if (first !== undefined)
    throw new OperationError(
      'approval.missing',
      `The ${first.kind} ${first.id} ${first.reason}. Nothing of these rows is accepted; find out who wrote this one.`,
    );
  return journal;
}

const PAGE = 1_000;

/** A journal that was verified from its first entry to its head. */
export interface VerifiedJournal {
  readonly seq: number;
  readonly hash: string;
  /** The root of the tree over all entries; undefined without entries. */
  readonly root: string | undefined;
  readonly checkpoints: { readonly signed: number; readonly unknown: number };
}

/**
 * Verifies the chain against its head and every checkpoint that a trusted key signed. Throws `OperationError`.
 */
async function verifyJournal(session: RowSession, keys: JournalKeys): Promise<VerifiedJournal> {
  const journal = new JournalRows(session.sql);
  const head = await journal.head();
  const audit = new ChainAudit();
  const tree = Frontier.empty();
  const checkpoints = { signed: 0, unknown: 0 };
  const recorded: Anchor = { ...head, label: 'the recorded head' };
  const anchors = async (from: number, to: number): Promise<Anchor[]> =>
    (await journal.checkpoints(from, to)).flatMap(({ size, note }) => {
      const signed = keys.signedHead(note);
      checkpoints[signed ? 'signed' : 'unknown'] += 1;
      // The position of the row and not of the note, so that a note that was moved to another row is noticed.
      return signed ? [{ ...signed, seq: size, label: 'the signed checkpoint' }] : [];
    });
  for (;;) {
    const from = audit.position.seq;
    const page = await journal.after(from, PAGE);
    const last = page.at(-1);
    if (last === undefined) break;
    refuseBroken(audit.read(page, [recorded, ...(await anchors(from, last.seq))]));
    for (const { hash } of page) tree.append(hash);
  }
  const end = audit.position;
  refuseBroken(audit.end([recorded, ...(await anchors(end.seq, Number.MAX_SAFE_INTEGER))]));
  if (end.seq !== head.seq || end.hash !== head.hash)
    refuseBroken({ seq: end.seq, reason: `the recorded head is entry ${head.seq}` });
  return { ...head, root: end.seq === 0 ? undefined : tree.root(), checkpoints };
}

function refuseBroken(broken: ChainBreak | undefined): void {
  if (broken === undefined) return;
  const message =
    `The journal was changed after it was written: entry ${broken.seq} ${broken.reason}. ` +
    'Find out how before you go on; nothing was changed.';
  throw new OperationError('journal.broken', message);
}
