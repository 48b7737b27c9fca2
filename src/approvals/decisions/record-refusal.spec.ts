import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { journalOf, storedProposal } from '../../../test/support/reviewers.js';
import type { Caller } from '../../access/identity/caller.js';
import { RecordRefusal } from './record-refusal.js';

describe('recording a refused decision', () => {
  let app: TestApplication;
  let gus: Caller;

  beforeAll(async () => {
    app = await startTestApplication();
    const { id } = await app.agent('gus');
    gus = {
      id,
      credentialId: id,
      kind: 'agent',
      name: 'gus',
      email: null,
      owner: null,
      role: null,
      department: null,
      reviewScope: null,
      isReviewer: false,
      isAdmin: false,
      scopes: [],
      expiresAt: null,
    };
  });
  afterAll(() => app.close());

  const record = (id: string, by: Caller = gus) =>
    app.app.get(RecordRefusal).record({ type: 'proposal', id }, by, 'access.not_a_person');
  const refusals = async (id: string) =>
    (await journalOf(app, id)).filter(({ action }) => action === 'proposal.refused');

  it('records the caller and the error, and does not change the proposal', async () => {
    const { id } = await submitTestProposal(app, 'Refuse this');
    await record(id);
    expect(await refusals(id)).toMatchObject([
      { data: { code: 'access.not_a_person', by: { kind: 'agent', id: gus.id } } },
    ]);
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending', revision: 1 });
  });

  it('journals it with the gate as the actor, and retries after a failure of the journal', async () => {
    const { id } = await submitTestProposal(app, 'Journal this');
    await whileJournalIsBroken(app, () => record(id));
    expect(await refusals(id)).toEqual([]);
    await record(id);
    expect(await refusals(id)).toMatchObject([{ kind: 'job', by: 'job:gate' }]);
  });

  it('records nothing for an invented id', async () => {
    const id = randomUUID();
    await record(id);
    expect(await refusals(id)).toEqual([]);
  });

  it('records the same caller once, and another caller as well', async () => {
    const { id } = await submitTestProposal(app, 'Refuse this once');
    await record(id);
    await record(id);
    expect(await refusals(id)).toHaveLength(1);
    const { id: other } = await app.agent('hal');
    await record(id, { ...gus, id: other, name: 'hal' });
    expect(await refusals(id)).toHaveLength(2);
  });
});
