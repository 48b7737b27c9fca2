import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobActor } from '../../src/journal/actor.js';
import { JournalRepository } from '../../src/journal/journal.repository.js';
import { Journal } from '../../src/journal/journal.service.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { SystemClock } from '../../src/platform/base/clock.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { AT, GateRows, otherValues, type ProposalRow } from '../support/gate-rows.js';

const ONLY_A_REVIEWER = /only an active person with the reviewer role decides/;
const CURRENT_BYTES = /a decision names the bytes of a pending proposal's current revision/;
const NO_DECISION = /has no such decision by a person/;
const FROZEN = /is decided and cannot change/;
const APPEND_ONLY = /is append-only/;
const SHORT_LIVED = /credential_decide_is_short_lived/;
const ONLY_PEOPLE = /principal_only_people_decide/;
const HOUR_LATER = '2026-03-01T11:00:00.000Z';

describe('the gate in the database, for decisions,', () => {
  let opened: TestDatabase;
  let rows: GateRows;

  beforeAll(async () => {
    opened = await openTestDatabase({ fresh: true });
    rows = new GateRows(opened.database);
  });
  afterAll(async () => {
    await opened.database.close();
    await opened.drop();
  });

  const set = (table: string, id: unknown, assignment: string) =>
    rows.sql(`UPDATE "${table}" SET ${assignment} WHERE "id" = '${id}'`);
  const change = (proposal: ProposalRow, assignment: string) => set('proposal', proposal.id, assignment);
  const newBytes = (artifact: string) =>
    `"revision" = 2, "artifact" = '${artifact}', "artifact_sha256" = '${sha256(artifact)}'`;

  it('accepts the decision of a reviewer and changes the state by it', async () => {
    const approved = await rows.approved();
    const rejected = await rows.proposal();
    await rows.decide(rejected, await rows.reviewer(), { verdict: 'rejected', reason: 'no' });
    expect(await rows.setState(rejected, 'rejected')).toBe(1);
    const states = await opened.database.client.proposal.findMany({
      where: { id: { in: [approved.id, rejected.id] } },
      select: { state: true },
    });
    expect(states.map(({ state }) => state).sort()).toEqual(['approved', 'rejected']);
  });

  it.each([
    ['an agent', () => rows.principal('agent')],
    ['a service', () => rows.principal('service')],
    ['a person who is no reviewer', () => rows.principal('person')],
    ['an administrator who is no reviewer', () => rows.principal('person', { is_admin: true })],
    ['a reviewer who is disabled', () => rows.reviewer({ disabled_at: AT })],
  ])('rejects the decision of %s', async (_who, principal) => {
    const proposal = await rows.proposal();
    const decider = await principal();
    await expect(rows.decide(proposal, decider)).rejects.toThrow(ONLY_A_REVIEWER);
    await expect(rows.decide(proposal, decider, { verdict: 'rejected' })).rejects.toThrow(ONLY_A_REVIEWER);
    await rows.decide(proposal, await rows.reviewer());
  });

  it('allows one pending proposal per pattern and action', async () => {
    const first = await rows.proposal();
    const again = { fingerprint: first['fingerprint'], action_fingerprint: first['action_fingerprint'] };
    await rows.proposal({ ...again, action_fingerprint: 'another action' });
    await expect(rows.proposal(again)).rejects.toThrow(/proposal_one_pending|23505/);
    await rows.setState(first, 'withdrawn');
    await rows.proposal(again);
  });

  describe('rejects a decision', () => {
    it('on bytes that the proposal does not have', async () => {
      const proposal = await rows.proposal();
      const other = { artifact_sha256: sha256('other bytes') };
      await expect(rows.decide(proposal, await rows.reviewer(), other)).rejects.toThrow(CURRENT_BYTES);
    });

    it('on an earlier or a later revision', async () => {
      const proposal = await rows.proposal();
      await expect(rows.decide(proposal, await rows.reviewer(), { revision: 2 })).rejects.toThrow(CURRENT_BYTES);
      await change(proposal, newBytes('revised'));
      await expect(rows.decide(proposal, await rows.reviewer())).rejects.toThrow(CURRENT_BYTES);
    });

    it.each(['approved', 'rejected', 'expired', 'withdrawn'])('on a proposal that is %s', async (state) => {
      const proposal = await rows.proposal();
      const first = await rows.reviewer();
      if (state === 'approved' || state === 'rejected') await rows.decide(proposal, first, { verdict: state });
      await rows.setState(proposal, state);
      await expect(rows.decide(proposal, await rows.reviewer())).rejects.toThrow(CURRENT_BYTES);
    });

    it('after the proposal expired, even before its state changes', async () => {
      const proposal = await rows.proposal();
      const late = { decided_at: proposal['expires_at'] };
      await expect(rows.decide(proposal, await rows.reviewer(), late)).rejects.toThrow(CURRENT_BYTES);
      await rows.decide(proposal, await rows.reviewer());
    });

    it('twice by the same reviewer on a revision; an approval can become a rejection', async () => {
      const proposal = await rows.proposal();
      const reviewer = await rows.reviewer();
      await rows.decide(proposal, reviewer);
      await expect(rows.decide(proposal, reviewer)).rejects.toThrow(/23505/);
      await rows.decide(proposal, reviewer, { verdict: 'rejected' });
      await expect(rows.decide(proposal, reviewer, { verdict: 'rejected' })).rejects.toThrow(/23505/);
    });
  });

  describe('approves no proposal', () => {
    it('by an update without a decision', async () => {
      const proposal = await rows.proposal();
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(NO_DECISION);
      await expect(rows.setState(proposal, 'rejected')).rejects.toThrow(NO_DECISION);
      expect(await rows.setState(proposal, 'expired')).toBe(1);
    });

    it('by a decision with the opposite verdict', async () => {
      const proposal = await rows.proposal();
      await rows.decide(proposal, await rows.reviewer(), { verdict: 'rejected', reason: 'no' });
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(NO_DECISION);
    });

    it('by a decision on the bytes of an earlier revision', async () => {
      const proposal = await rows.proposal();
      await rows.decide(proposal, await rows.reviewer());
      await change(proposal, newBytes('slipped in after the vote'));
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(NO_DECISION);
    });

    it('in the update that changes its bytes', async () => {
      const proposal = await rows.proposal();
      await rows.decide(proposal, await rows.reviewer());
      await expect(change(proposal, `"state" = 'approved', ${newBytes('slipped in with it')}`)).rejects.toThrow(
        NO_DECISION,
      );
    });

    it('by the decision on another proposal with the same bytes', async () => {
      const { artifact, artifact_sha256 } = await rows.approved();
      const twin = await rows.proposal({ artifact, artifact_sha256 });
      await expect(rows.setState(twin, 'approved')).rejects.toThrow(NO_DECISION);
    });

    it('by an insert in that state', async () => {
      await expect(rows.insert('proposal', rows.proposalRow({ state: 'approved' }))).rejects.toThrow(/starts pending/);
    });

    it('with a hash that does not match its bytes', async () => {
      const forged = rows.proposalRow({ artifact_sha256: sha256('something harmless') });
      const mismatch = /proposal_hash_is_of_artifact/;
      await expect(rows.insert('proposal', forged)).rejects.toThrow(mismatch);
      await expect(change(await rows.proposal(), `"revision" = 2, "artifact" = 'swapped'`)).rejects.toThrow(mismatch);
    });
  });

  describe('approves a proposal that needs several people', () => {
    const STOPPED = /has 1 of 2 votes/;

    it('by the required number of them and no fewer', async () => {
      const proposal = await rows.proposal({ votes_needed: 2 });
      await rows.decide(proposal, await rows.reviewer());
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(STOPPED);
      await rows.decide(proposal, await rows.reviewer());
      expect(await rows.setState(proposal, 'approved')).toBe(1);
    });

    it('not by the same one twice', async () => {
      const proposal = await rows.proposal({ votes_needed: 2 });
      const reviewer = await rows.reviewer();
      await rows.decide(proposal, reviewer);
      await expect(rows.decide(proposal, reviewer)).rejects.toThrow(/unique/i);
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(STOPPED);
    });

    it.each([`"disabled_at" = '${AT}'`, `"is_reviewer" = false`])(
      'not by one who is no active reviewer any more (%s)',
      async (change) => {
        const proposal = await rows.proposal({ votes_needed: 2 });
        const gone = await rows.reviewer();
        await rows.decide(proposal, gone);
        await rows.decide(proposal, await rows.reviewer());
        await set('principal', gone, change);
        await expect(rows.setState(proposal, 'approved')).rejects.toThrow(STOPPED);
        await rows.decide(proposal, await rows.reviewer());
        expect(await rows.setState(proposal, 'approved')).toBe(1);
      },
    );

    it('not by a vote on an earlier revision, even with the same bytes', async () => {
      const proposal = await rows.proposal();
      await rows.decide(proposal, await rows.reviewer());
      await change(proposal, '"revision" = 2');
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(NO_DECISION);
    });

    it('not by lowering the number, naming another editor or returning to a revision with votes', async () => {
      const proposal = await rows.proposal({ votes_needed: 2 });
      await rows.decide(proposal, await rows.reviewer());
      for (const assignment of ['"votes_needed" = 1', `"editor_id" = '${await rows.reviewer()}'`, '"revision" = 0'])
        for (const and of ['', `, "state" = 'approved'`])
          await expect(change(proposal, assignment + and)).rejects.toThrow(/only as a new revision/);
      await change(proposal, '"revision" = 2, "votes_needed" = 1');
      await expect(change(proposal, `"revision" = 1, "state" = 'approved'`)).rejects.toThrow(/only as a new revision/);
      await expect(rows.proposal({ votes_needed: 0 })).rejects.toThrow(/proposal_needs_a_person/);
    });

    it('of a proposal with an unknown author, if they are two', async () => {
      const externalEdit = { kind: 'amend', edit: { from: 'folder' } };
      const UNKNOWN = /the author of proposal .* is unknown/;
      await expect(rows.proposal({ ...externalEdit, votes_needed: 1 })).rejects.toThrow(UNKNOWN);
      const proposal = await rows.proposal({ ...externalEdit, votes_needed: 2 });
      await expect(change(proposal, '"revision" = 2, "votes_needed" = 1')).rejects.toThrow(UNKNOWN);
      await rows.decide(proposal, await rows.reviewer());
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(STOPPED);
      await rows.decide(proposal, await rows.reviewer());
      expect(await rows.setState(proposal, 'approved')).toBe(1);
      // A rename has a known author, and a retirement needs one person only.
      for (const [kind, edit] of [
        ['amend', null],
        ['retire', externalEdit.edit],
      ] as const)
        await rows.proposal({ kind, edit, votes_needed: 1 });
    });

    it('not by its editor alone', async () => {
      const editor = await rows.reviewer();
      const proposal = await rows.proposal({ editor_id: editor });
      await rows.decide(proposal, editor);
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(/must not be its only approver/);
      await rows.decide(proposal, await rows.reviewer());
      expect(await rows.setState(proposal, 'approved')).toBe(1);
    });

    it('not by the author of an earlier revision alone, nor with a vote that does not count', async () => {
      const ALONE = /the author of an earlier revision of proposal .* must not be its only approver/;
      const [first, second] = [await rows.reviewer(), await rows.reviewer()];
      const proposal = await rows.proposal({
        editor_id: second,
        earlier_editor_ids: [first],
        audience: [{ department: 'ops', role: 'ci' }],
      });
      await rows.decide(proposal, first);
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(ALONE);
      await expect(change(proposal, `"earlier_editor_ids" = '{}', "state" = 'approved'`)).rejects.toThrow(
        /only as a new revision/,
      );
      const gone = await rows.reviewer();
      await rows.decide(proposal, gone);
      await rows.sql(`UPDATE principal SET disabled_at = now() WHERE id = '${gone}'`);
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(ALONE);
      await rows.decide(proposal, second);
      expect(await rows.setState(proposal, 'approved')).toBe(1);
      const other = await rows.proposal({ editor_id: second, earlier_editor_ids: [first] });
      await rows.decide(other, await rows.reviewer());
      expect(await rows.setState(other, 'approved')).toBe(1);
    });

    it('not by the owner of all source agents alone, nor with a vote that does not count', async () => {
      const ALONE = /the owner of the source agents of proposal .* must not be its only approver/;
      const owner = await rows.reviewer();
      const place = { department: 'platform', role: 'ci' };
      const proposal = await rows.proposal({ source_owner_id: owner, audience: [place] });
      await rows.decide(proposal, owner);
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(ALONE);
      await expect(change(proposal, `"source_owner_id" = NULL, "state" = 'approved'`)).rejects.toThrow(
        /only as a new revision/,
      );
      const elsewhere = await rows.reviewer();
      await rows.decide(proposal, elsewhere);
      await rows.sql(`UPDATE principal SET review_scope = '[{"department":"sales"}]' WHERE id = '${elsewhere}'`);
      await expect(rows.setState(proposal, 'approved')).rejects.toThrow(ALONE);
      await rows.decide(proposal, await rows.reviewer({ review_scope: [{ department: 'platform' }] }));
      expect(await rows.setState(proposal, 'approved')).toBe(1);
      // An owner who is not a source owner of the proposal does not restrict it.
      const other = await rows.proposal({ source_owner_id: owner });
      await rows.decide(other, await rows.reviewer());
      expect(await rows.setState(other, 'approved')).toBe(1);
    });
  });

  it.each(['approved', 'rejected', 'expired', 'withdrawn'])('freezes a proposal that is %s', async (state) => {
    const proposal = await rows.proposal();
    if (state === 'approved' || state === 'rejected')
      await rows.decide(proposal, await rows.reviewer(), { verdict: state });
    await rows.setState(proposal, state);
    for (const assignment of [`"state" = 'pending'`, `"proposed_skill" = '{}'`, newBytes('later'), `"title" = 'later'`])
      await expect(change(proposal, assignment)).rejects.toThrow(FROZEN);
  });

  it('never updates, deletes or truncates journal entries and decisions', async () => {
    const proposal = await rows.approved();
    await rows.insert('publication', rows.publication(proposal));
    const journal = new Journal(opened.database, new JournalRepository(), new SystemClock());
    await opened.database.transaction((tx) =>
      journal.append(tx, jobActor('test'), { action: 'test', subject: { type: 'test', id: 'test' } }),
    );
    for (const table of ['journal_entry', 'proposal_decision'])
      for (const [column, value] of await otherValues(opened.database, table))
        await expect(rows.sql(`UPDATE "${table}" SET "${column}" = ${value}`)).rejects.toThrow(APPEND_ONLY);
    for (const table of ['journal_entry', 'proposal_decision', 'proposal', 'publication']) {
      await expect(rows.sql(`DELETE FROM "${table}"`)).rejects.toThrow(APPEND_ONLY);
      await expect(rows.sql(`TRUNCATE "${table}" CASCADE`)).rejects.toThrow(APPEND_ONLY);
    }
  });

  describe('grants the right to decide', () => {
    const decide = (kind: string, expires_at: string | null) => ({ kind, scopes: ['read', 'decide'], expires_at });

    it.each(['personal', 'session'])('to the %s credential of a person, for an hour at most', async (kind) => {
      const reviewer = await rows.reviewer();
      const credential = rows.credential(reviewer, decide(kind, HOUR_LATER));
      await rows.insert('credential', credential);
      const longer = rows.credential(reviewer, decide(kind, '2026-03-01T11:00:00.001Z'));
      await expect(rows.insert('credential', longer)).rejects.toThrow(SHORT_LIVED);
      const endless = rows.credential(reviewer, decide(kind, null));
      await expect(rows.insert('credential', endless)).rejects.toThrow(SHORT_LIVED);
      const extended = `"expires_at" = "expires_at" + interval '1 second'`;
      await expect(set('credential', credential['id'], extended)).rejects.toThrow(SHORT_LIVED);
    });

    it('not to a sign-in link; a link and a session last at most an hour with any scopes', async () => {
      const reader = await rows.principal('person');
      const link = rows.credential(reader, { kind: 'link', expires_at: HOUR_LATER });
      await rows.insert('credential', link);
      await expect(set('credential', link['id'], `"scopes" = '{decide}'`)).rejects.toThrow(SHORT_LIVED);
      await expect(set('credential', link['id'], `"scopes" = '{read}'`)).rejects.toThrow(/credential_link_is_short/);
      const session = rows.credential(reader, { kind: 'session', scopes: ['read'], expires_at: HOUR_LATER });
      await rows.insert('credential', session);
      for (const { id } of [link, session] as { id: string }[])
        for (const until of ['NULL', `"expires_at" + interval '1 second'`])
          await expect(set('credential', id, `"expires_at" = ${until}`)).rejects.toThrow(/_is_short_lived/);
    });

    it.each(['token', 'sign_in', 'one_time'])('to no %s credential', async (kind) => {
      const holder = kind === 'token' ? await rows.principal('service') : await rows.reviewer();
      const plain = rows.credential(holder, { kind });
      await rows.insert('credential', plain);
      await expect(rows.insert('credential', rows.credential(holder, decide(kind, HOUR_LATER)))).rejects.toThrow(
        SHORT_LIVED,
      );
      await expect(set('credential', plain['id'], `"scopes" = '{decide}'`)).rejects.toThrow(SHORT_LIVED);
    });

    it.each(['agent', 'service'] as const)('to no %s, which cannot hold the credentials of a person', async (kind) => {
      const holder = await rows.principal(kind);
      const belongs = /credential belongs to a person/;
      for (const personal of ['personal', 'sign_in', 'one_time', 'session', 'link'])
        await expect(rows.insert('credential', rows.credential(holder, { kind: personal }))).rejects.toThrow(belongs);
      const own = rows.credential(await rows.reviewer(), decide('personal', HOUR_LATER));
      await rows.insert('credential', own);
      await expect(set('credential', own['id'], `"principal_id" = '${holder}'`)).rejects.toThrow(belongs);
    });

    it('not to a person by a long-lived token', async () => {
      const token = rows.credential(await rows.reviewer(), { kind: 'token' });
      await expect(rows.insert('credential', token)).rejects.toThrow(/a person has no long-lived token/);
    });
  });

  it.each(['agent', 'service'] as const)('never turns an %s into a person, reviewer or administrator', async (kind) => {
    const fixed = /the kind of a principal never changes/;
    for (const role of ['is_reviewer', 'is_admin']) {
      await expect(rows.principal(kind, { [role]: true })).rejects.toThrow(ONLY_PEOPLE);
      await expect(set('principal', await rows.principal(kind), `"${role}" = true`)).rejects.toThrow(ONLY_PEOPLE);
    }
    const id = await rows.principal(kind);
    await expect(set('principal', id, `"kind" = 'person'`)).rejects.toThrow(fixed);
    await expect(set('principal', id, `"kind" = 'person', "is_reviewer" = true`)).rejects.toThrow(fixed);
    await expect(set('principal', id, `"id" = '${rows.proposalRow().id}'`)).rejects.toThrow(fixed);
    expect(await set('principal', await rows.principal('person'), `"is_reviewer" = true`)).toBe(1);
  });
});
