import type { TestApplication } from './application.js';

/** Does the work while the journal takes no entry: the next one would get a number that is taken. */
export async function whileJournalIsBroken({ database }: TestApplication, work: () => Promise<void>): Promise<void> {
  const move = (by: number) =>
    database.client.journalHead.update({ where: { id: 1 }, data: { seq: { increment: by } } });
  await move(-1);
  await work();
  await move(1);
}
