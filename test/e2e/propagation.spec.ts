import { afterEach, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { ANSWERS, startMessagesApi } from '../support/messages-api.js';
import { report } from '../support/reports.js';

let app: TestApplication;
afterEach(() => app.close());

const start = (more: Record<string, string> = {}) =>
  startTestApplication({ GUILDBOOK_PROPAGATION: 'role', GUILDBOOK_UPKEEP_CRON: 'off', ...more });

async function agent(name: string, role?: string) {
  const { principal, token } = await app.admin.agents.add({ name, ...(role ? { role } : {}) });
  return { id: principal.id, client: app.client(token) };
}
const lessonsOf = async (id: string) => (await app.admin.lessons({ agent: id })).items;

it('copies come when a lesson is stored, without a run of the upkeep', async () => {
  app = await start();
  const [ada, ben, other] = [await agent('Ada', 'ci'), await agent('Ben', 'ci'), await agent('Cem', 'docs')];
  await ada.client.executions.report(report());
  await app.settled();
  const [own] = await lessonsOf(ada.id);
  expect(await lessonsOf(ben.id)).toMatchObject([
    { propagatedFromId: own?.id, controlTags: expect.arrayContaining([`propagated:${ada.id}`]) },
  ]);
  expect(await lessonsOf(other.id)).toEqual([]);
  expect((await app.admin.upkeep.list()).items).toEqual([]);
  const { items } = await app.admin.journal.list({ action: 'memory.lesson_propagated' });
  expect(items).toMatchObject([{ actor: { kind: 'job', name: 'memory-propagation' }, data: { to: ben.id } }]);
  // A run has nothing left to copy.
  expect((await app.admin.upkeep.run(false)).report?.copied).toBe(0);
});

it('a procedure that an agent notes itself is copied at once, a fact is not', async () => {
  app = await start();
  const [ada, ben] = [await agent('Ada', 'ci'), await agent('Ben', 'ci')];
  const { id } = await ada.client.remember({ lesson: 'Tag every release', tags: ['non-inferable'] });
  await ada.client.memoryTool('archival_memory_write', {
    lesson: 'The books close in March',
    category: 'SEMANTIC',
    tags: ['non-inferable'],
  });
  await app.settled();
  expect((await lessonsOf(ben.id)).map(({ propagatedFromId }) => propagatedFromId)).toEqual([id]);
});

it('a placeholder is copied once it is the lesson, and nothing is copied without propagation', async () => {
  const api = await startMessagesApi();
  app = await start({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' });
  const [ada, ben] = [await agent('Ada', 'ci'), await agent('Ben', 'ci')];
  api.answer(
    ANSWERS.error(529, 'overloaded_error'),
    ANSWERS.error(529, 'overloaded_error'),
    ANSWERS.error(529, 'overloaded_error'),
  );
  await ada.client.executions.report(report());
  await app.settled();
  expect(await lessonsOf(ada.id)).toMatchObject([{ awaitingProposer: true }]);
  expect(await lessonsOf(ben.id)).toEqual([]);
  api.answer(ANSWERS.lesson());
  app.clock.advance(10 * 60_000);
  await app.settled();
  expect(await lessonsOf(ada.id)).toMatchObject([{ awaitingProposer: false }]);
  expect(await lessonsOf(ben.id)).toHaveLength(1);
  await api.close();
});

it('nothing is copied by default', async () => {
  app = await start({ GUILDBOOK_PROPAGATION: 'none' });
  const [ada, ben] = [await agent('Ada', 'ci'), await agent('Ben', 'ci')];
  await ada.client.remember({ lesson: 'Tag every release', tags: ['non-inferable'] });
  await app.settled();
  expect(await lessonsOf(ben.id)).toEqual([]);
});
