import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { type Receiver, startReceiver } from '../../../test/support/webhook-receiver.js';
import { jobActor } from '../../journal/actor.js';
import { ApprovalsModule } from '../approvals.module.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalWithdrawer } from './proposal-withdrawer.service.js';

const ACTOR = jobActor('test');
let app: TestApplication;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApplication({ GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE: 'true' });
  await app.admin.webhooks.add({ url: receiver.url, events: ['proposal.withdrawn'] });
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

const module = () => app.app.select(ApprovalsModule);
const proposal = async (id: string) => {
  const found = await module().get(ProposalRepository).find(app.database.client, id);
  if (!found) throw new Error('the proposal is gone');
  return found;
};
const withdraw = (found: Awaited<ReturnType<typeof proposal>>, data = { reason: 'as the test says' }) =>
  app.database.transaction((tx) => module().get(ProposalWithdrawer).withdraw(tx, ACTOR, found, data));
const countDeliveries = () => app.database.client.webhookDelivery.count();
const journalled = async (subject: string) =>
  (await app.admin.journal.list({ subject, action: 'proposal.withdrawn' })).items;

it('a withdrawal changes the state, is journalled with the data of its job, and sends an event', async () => {
  const { id } = await submitTestProposal(app, 'Be withdrawn');
  expect(await withdraw(await proposal(id))).toBe(true);
  expect(await proposal(id)).toMatchObject({ state: 'withdrawn', decidedAt: expect.any(Date) });
  expect(await journalled(id)).toMatchObject([{ actor: { kind: 'job' }, data: { reason: 'as the test says' } }]);
  expect(await countDeliveries()).toBe(1);
});

it('a withdrawal after a concurrent decision changes nothing and sends no event', async () => {
  const { id } = await submitTestProposal(app, 'Be decided first');
  const before = await countDeliveries();
  const read = await proposal(id);
  await app.admin.proposals.reject(id, 'a person was faster');
  expect(await withdraw(read)).toBe(false);
  expect(await proposal(id)).toMatchObject({ state: 'rejected' });
  expect([await journalled(id), await countDeliveries()]).toEqual([[], before]);
});
