import type { TestApplication } from './application.js';

/** Runs the work while the journal cannot append: the next entry number is already used. */
export async function whileJournalIsBroken({ database }: TestApplication, work: () => Promise<void>): Promise<void> {
  const move = (by: number) =>
    database.client.journalHead.update({ where: { id: 1 }, data: { seq: { increment: by } } });
  await move(-1);
  await work();
  await move(1);
}
