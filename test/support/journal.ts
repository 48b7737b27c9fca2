import type { TestApplication } from './application.js';

/** Runs the work while the journal cannot append: the next entry number is already used. */
export async function whileJournalIsBroken(
  { database }: Pick<TestApplication, 'database'>,
  work: () => Promise<void>,
): Promise<void> {
  // Only an owner of the database can move the head without an entry.
  const move = async (by: number): Promise<void> => {
    await database.client.$executeRawUnsafe('ALTER TABLE "journal_head" DISABLE TRIGGER USER');
    await database.client.journalHead.update({ where: { id: 1 }, data: { seq: { increment: by } } });
    await database.client.$executeRawUnsafe('ALTER TABLE "journal_head" ENABLE TRIGGER USER');
  };
  await move(-1);
  await work();
  await move(1);
}
