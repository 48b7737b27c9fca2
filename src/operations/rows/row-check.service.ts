import type { RowSession } from '../../platform/database/whole-database.js';
import { ApprovedContent } from './approved-content.repository.js';
import { type VerifiedJournal, verifyJournal } from './journal-check.service.js';
import type { JournalKeys } from './journal-keys.js';
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
