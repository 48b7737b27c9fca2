import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { submitted } from '../../../test/support/submission.js';
import { type Receiver, startReceiver } from '../../../test/support/webhook-receiver.js';
import { job } from '../../journal/actor.js';
import { ApprovalsModule } from '../approvals.module.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import { Withdrawals } from './withdrawals.service.js';

const ACTOR = job('test');
let app: TestApplication;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApplication({ GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE: 'true' });
  await app.admin.webhooks.add({ url: receiver.url, events: ['approval.withdrawn'] });
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

const module = () => app.app.select(ApprovalsModule);
const item = async (id: string) => {
  const found = await module().get(ApprovalRepository).find(app.database.client, id);
  if (!found) throw new Error('the item is gone');
  return found;
};
const withdraw = (found: Awaited<ReturnType<typeof item>>, data = { reason: 'as the test says' }) =>
  app.database.transaction((tx) => module().get(Withdrawals).withdraw(tx, ACTOR, found, data));
const told = () => app.database.client.webhookDelivery.count();
const journalled = async (subject: string) =>
  (await app.admin.journal.list({ subject, action: 'approval.withdrawn' })).items;

it('a withdrawal moves the item, is journalled with what its job says of it, and told outside', async () => {
  const { id } = await submitted(app, 'Be withdrawn');
  expect(await withdraw(await item(id))).toBe(true);
  expect(await item(id)).toMatchObject({ state: 'withdrawn', decidedAt: expect.any(Date) });
  expect(await journalled(id)).toMatchObject([{ actor: { kind: 'job' }, data: { reason: 'as the test says' } }]);
  expect(await told()).toBe(1);
});

it('a withdrawal of what somebody was faster with changes nothing and is told nobody', async () => {
  const { id } = await submitted(app, 'Be decided first');
  const before = await told();
  const read = await item(id);
  await app.admin.approvals.reject(id, 'a person was faster');
  expect(await withdraw(read)).toBe(false);
  expect(await item(id)).toMatchObject({ state: 'rejected' });
  expect([await journalled(id), await told()]).toEqual([[], before]);
});
