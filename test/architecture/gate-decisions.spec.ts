import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { AT, GateRows, otherValues, type ProposalRow } from '../support/gate-rows.js';

const ONLY_A_REVIEWER = /only an active person with the reviewer role decides/;
const CURRENT_BYTES = /a decision names the bytes of a pending item's current revision/;
const NO_DECISION = /has no such decision by a person/;
const FROZEN = /is decided and cannot change/;
const APPEND_ONLY = /is append-only/;
const SHORT_LIVED = /credential_decide_is_short_lived/;
const ONLY_PEOPLE = /principal_only_people_decide/;
const HOUR_LATER = '2026-03-01T11:00:00.000Z';

describe('the database alone, about decisions and those who take them,', () => {
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
  const change = (item: ProposalRow, assignment: string) => set('proposal', item.id, assignment);
  const newBytes = (artifact: string) =>
    `"revision" = 2, "artifact" = '${artifact}', "artifact_sha256" = '${sha256(artifact)}'`;

  it('takes the decision of a reviewer, and moves the item by it', async () => {
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
  ])('refuses the decision of %s', async (_who, principal) => {
    const item = await rows.proposal();
    const decider = await principal();
    await expect(rows.decide(item, decider)).rejects.toThrow(ONLY_A_REVIEWER);
    await expect(rows.decide(item, decider, { verdict: 'rejected' })).rejects.toThrow(ONLY_A_REVIEWER);
    await rows.decide(item, await rows.reviewer());
  });

  it('keeps one question about a pattern open at a time', async () => {
    const first = await rows.proposal();
    const again = { fingerprint: first['fingerprint'] };
    await expect(rows.proposal(again)).rejects.toThrow(/proposal_one_pending|23505/);
    await rows.setState(first, 'withdrawn');
    await rows.proposal(again);
  });

  describe('refuses a decision', () => {
    it('on bytes that the item does not hold', async () => {
      const item = await rows.proposal();
      const other = { artifact_sha256: sha256('other bytes') };
      await expect(rows.decide(item, await rows.reviewer(), other)).rejects.toThrow(CURRENT_BYTES);
    });

    it('on a revision that is over, and on one to come', async () => {
      const item = await rows.proposal();
      await expect(rows.decide(item, await rows.reviewer(), { revision: 2 })).rejects.toThrow(CURRENT_BYTES);
      await change(item, newBytes('revised'));
      await expect(rows.decide(item, await rows.reviewer())).rejects.toThrow(CURRENT_BYTES);
    });

    it.each(['approved', 'rejected', 'expired', 'withdrawn'])('on an item that is %s', async (state) => {
      const item = await rows.proposal();
      const first = await rows.reviewer();
      if (state === 'approved' || state === 'rejected') await rows.decide(item, first, { verdict: state });
      await rows.setState(item, state);
      await expect(rows.decide(item, await rows.reviewer())).rejects.toThrow(CURRENT_BYTES);
    });

    it('after the item has expired, swept or not', async () => {
      const item = await rows.proposal();
      const late = { decided_at: item['expires_at'] };
      await expect(rows.decide(item, await rows.reviewer(), late)).rejects.toThrow(CURRENT_BYTES);
      await rows.decide(item, await rows.reviewer());
    });

    it('of the same reviewer on the same revision a second time; an approval can turn into a rejection', async () => {
      const item = await rows.proposal();
      const reviewer = await rows.reviewer();
      await rows.decide(item, reviewer);
      await expect(rows.decide(item, reviewer)).rejects.toThrow(/23505/);
      await rows.decide(item, reviewer, { verdict: 'rejected' });
      await expect(rows.decide(item, reviewer, { verdict: 'rejected' })).rejects.toThrow(/23505/);
    });
  });

  describe('lets no item become approved', () => {
    it('by an update without a decision', async () => {
      const item = await rows.proposal();
      await expect(rows.setState(item, 'approved')).rejects.toThrow(NO_DECISION);
      await expect(rows.setState(item, 'rejected')).rejects.toThrow(NO_DECISION);
      expect(await rows.setState(item, 'expired')).toBe(1);
    });

    it('by a decision that says the opposite', async () => {
      const item = await rows.proposal();
      await rows.decide(item, await rows.reviewer(), { verdict: 'rejected', reason: 'no' });
      await expect(rows.setState(item, 'approved')).rejects.toThrow(NO_DECISION);
    });

    it('by a decision on the bytes of an earlier revision', async () => {
      const item = await rows.proposal();
      await rows.decide(item, await rows.reviewer());
      await change(item, newBytes('slipped in after the vote'));
      await expect(rows.setState(item, 'approved')).rejects.toThrow(NO_DECISION);
    });

    it('in the update that changes its bytes', async () => {
      const item = await rows.proposal();
      await rows.decide(item, await rows.reviewer());
      await expect(change(item, `"state" = 'approved', ${newBytes('slipped in with it')}`)).rejects.toThrow(
        NO_DECISION,
      );
    });

    it('by the decision on another item with the same bytes', async () => {
      const { artifact, artifact_sha256 } = await rows.approved();
      const twin = await rows.proposal({ artifact, artifact_sha256 });
      await expect(rows.setState(twin, 'approved')).rejects.toThrow(NO_DECISION);
    });

    it('by being born that way', async () => {
      await expect(rows.insert('proposal', rows.proposalRow({ state: 'approved' }))).rejects.toThrow(/starts pending/);
    });

    it('under a hash that is not the one of its bytes', async () => {
      const forged = rows.proposalRow({ artifact_sha256: sha256('something harmless') });
      const mismatch = /proposal_hash_is_of_artifact/;
      await expect(rows.insert('proposal', forged)).rejects.toThrow(mismatch);
      await expect(change(await rows.proposal(), `"revision" = 2, "artifact" = 'swapped'`)).rejects.toThrow(mismatch);
    });
  });

  describe('makes an item that needs several people approved', () => {
    const STOPPED = /has 1 of 2 votes/;

    it('by so many of them, and by no fewer', async () => {
      const item = await rows.proposal({ votes_needed: 2 });
      await rows.decide(item, await rows.reviewer());
      await expect(rows.setState(item, 'approved')).rejects.toThrow(STOPPED);
      await rows.decide(item, await rows.reviewer());
      expect(await rows.setState(item, 'approved')).toBe(1);
    });

    it('not by one of them twice', async () => {
      const item = await rows.proposal({ votes_needed: 2 });
      const reviewer = await rows.reviewer();
      await rows.decide(item, reviewer);
      await expect(rows.decide(item, reviewer)).rejects.toThrow(/unique/i);
      await expect(rows.setState(item, 'approved')).rejects.toThrow(STOPPED);
    });

    it.each([`"disabled_at" = '${AT}'`, `"is_reviewer" = false`])(
      'not by one who is no active reviewer any more (%s)',
      async (change) => {
        const item = await rows.proposal({ votes_needed: 2 });
        const gone = await rows.reviewer();
        await rows.decide(item, gone);
        await rows.decide(item, await rows.reviewer());
        await set('principal', gone, change);
        await expect(rows.setState(item, 'approved')).rejects.toThrow(STOPPED);
        await rows.decide(item, await rows.reviewer());
        expect(await rows.setState(item, 'approved')).toBe(1);
      },
    );

    it('not by a vote on an earlier revision, not even one with the same bytes', async () => {
      const item = await rows.proposal();
      await rows.decide(item, await rows.reviewer());
      await change(item, '"revision" = 2');
      await expect(rows.setState(item, 'approved')).rejects.toThrow(NO_DECISION);
    });

    it('not by lowering the number, naming another editor or going back to a revision that has votes', async () => {
      const item = await rows.proposal({ votes_needed: 2 });
      await rows.decide(item, await rows.reviewer());
      for (const assignment of ['"votes_needed" = 1', `"editor_id" = '${await rows.reviewer()}'`, '"revision" = 0'])
        for (const and of ['', `, "state" = 'approved'`])
          await expect(change(item, assignment + and)).rejects.toThrow(/only as a new revision/);
      await change(item, '"revision" = 2, "votes_needed" = 1');
      await expect(change(item, `"revision" = 1, "state" = 'approved'`)).rejects.toThrow(/only as a new revision/);
      await expect(rows.proposal({ votes_needed: 0 })).rejects.toThrow(/proposal_needs_a_person/);
    });

    it('of which nobody knows who wrote it, as long as they are two', async () => {
      const byHand = { kind: 'amend', edit: { from: 'folder' } };
      const UNKNOWN = /nobody knows who wrote approval item/;
      await expect(rows.proposal({ ...byHand, votes_needed: 1 })).rejects.toThrow(UNKNOWN);
      const item = await rows.proposal({ ...byHand, votes_needed: 2 });
      await expect(change(item, '"revision" = 2, "votes_needed" = 1')).rejects.toThrow(UNKNOWN);
      await rows.decide(item, await rows.reviewer());
      await expect(rows.setState(item, 'approved')).rejects.toThrow(STOPPED);
      await rows.decide(item, await rows.reviewer());
      expect(await rows.setState(item, 'approved')).toBe(1);
      // A name was asked for by somebody known, and taking away is one person's act.
      for (const [kind, edit] of [
        ['amend', null],
        ['retire', byHand.edit],
      ] as const)
        await rows.proposal({ kind, edit, votes_needed: 1 });
    });

    it('not by whoever edited it alone', async () => {
      const editor = await rows.reviewer();
      const item = await rows.proposal({ editor_id: editor });
      await rows.decide(item, editor);
      await expect(rows.setState(item, 'approved')).rejects.toThrow(/not its only approver/);
      await rows.decide(item, await rows.reviewer());
      expect(await rows.setState(item, 'approved')).toBe(1);
    });

    it('not by whoever wrote an earlier revision alone, nor with a vote that does not count', async () => {
      const ALONE = /wrote an earlier revision of approval item .* is not its only approver/;
      const [first, second] = [await rows.reviewer(), await rows.reviewer()];
      const item = await rows.proposal({
        editor_id: second,
        earlier_editor_ids: [first],
        audience: [{ department: 'ops', role: 'ci' }],
      });
      await rows.decide(item, first);
      await expect(rows.setState(item, 'approved')).rejects.toThrow(ALONE);
      await expect(change(item, `"earlier_editor_ids" = '{}', "state" = 'approved'`)).rejects.toThrow(
        /only as a new revision/,
      );
      const gone = await rows.reviewer();
      await rows.decide(item, gone);
      await rows.sql(`UPDATE principal SET disabled_at = now() WHERE id = '${gone}'`);
      await expect(rows.setState(item, 'approved')).rejects.toThrow(ALONE);
      await rows.decide(item, second);
      expect(await rows.setState(item, 'approved')).toBe(1);
      const other = await rows.proposal({ editor_id: second, earlier_editor_ids: [first] });
      await rows.decide(other, await rows.reviewer());
      expect(await rows.setState(other, 'approved')).toBe(1);
    });

    it('not by whoever owns all agents that it was learned from alone, nor with a vote that does not count', async () => {
      const ALONE = /owns the agents that approval item .* is not its only approver/;
      const owner = await rows.reviewer();
      const place = { department: 'platform', role: 'ci' };
      const item = await rows.proposal({ source_owner_id: owner, audience: [place] });
      await rows.decide(item, owner);
      await expect(rows.setState(item, 'approved')).rejects.toThrow(ALONE);
      await expect(change(item, `"source_owner_id" = NULL, "state" = 'approved'`)).rejects.toThrow(
        /only as a new revision/,
      );
      const elsewhere = await rows.reviewer();
      await rows.decide(item, elsewhere);
      await rows.sql(`UPDATE principal SET review_scope = '[{"department":"sales"}]' WHERE id = '${elsewhere}'`);
      await expect(rows.setState(item, 'approved')).rejects.toThrow(ALONE);
      await rows.decide(item, await rows.reviewer({ review_scope: [{ department: 'platform' }] }));
      expect(await rows.setState(item, 'approved')).toBe(1);
      // Who owns them and is not asked stands in nobody's way.
      const other = await rows.proposal({ source_owner_id: owner });
      await rows.decide(other, await rows.reviewer());
      expect(await rows.setState(other, 'approved')).toBe(1);
    });
  });

  it.each(['approved', 'rejected', 'expired', 'withdrawn'])('freezes an item that is %s', async (state) => {
    const item = await rows.proposal();
    if (state === 'approved' || state === 'rejected')
      await rows.decide(item, await rows.reviewer(), { verdict: state });
    await rows.setState(item, state);
    for (const assignment of [`"state" = 'pending'`, `"proposed_skill" = '{}'`, newBytes('later'), `"title" = 'later'`])
      await expect(change(item, assignment)).rejects.toThrow(FROZEN);
  });

  it('never changes, removes or empties what was journalled or decided', async () => {
    const item = await rows.approved();
    await rows.insert('publication', rows.publication(item));
    await rows.insert('journal_entry', {
      seq: 1,
      at: AT,
      actor_kind: 'job',
      actor_id: 'job:test',
      actor_name: 'test',
      action: 'test',
      subject_type: 'test',
      subject_id: 'test',
      data: '{}',
      previous_hash: 'none',
      hash: 'none',
    });
    for (const table of ['journal_entry', 'proposal_decision'])
      for (const [column, value] of await otherValues(opened.database, table))
        await expect(rows.sql(`UPDATE "${table}" SET "${column}" = ${value}`)).rejects.toThrow(APPEND_ONLY);
    for (const table of ['journal_entry', 'proposal_decision', 'proposal', 'publication']) {
      await expect(rows.sql(`DELETE FROM "${table}"`)).rejects.toThrow(APPEND_ONLY);
      await expect(rows.sql(`TRUNCATE "${table}" CASCADE`)).rejects.toThrow(APPEND_ONLY);
    }
  });

  describe('gives the right to decide', () => {
    const decide = (kind: string, expires_at: string | null) => ({ kind, scopes: ['read', 'decide'], expires_at });

    it.each(['personal', 'session'])('to the %s of a person, for an hour at most', async (kind) => {
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

    it('to no link to sign in with; it and a session live an hour at most, whatever they may', async () => {
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

    it.each(['token', 'sign_in', 'one_time'])('to no %s of anybody', async (kind) => {
      const holder = kind === 'token' ? await rows.principal('service') : await rows.reviewer();
      const plain = rows.credential(holder, { kind });
      await rows.insert('credential', plain);
      await expect(rows.insert('credential', rows.credential(holder, decide(kind, HOUR_LATER)))).rejects.toThrow(
        SHORT_LIVED,
      );
      await expect(set('credential', plain['id'], `"scopes" = '{decide}'`)).rejects.toThrow(SHORT_LIVED);
    });

    it.each(['agent', 'service'] as const)('to no %s, which cannot hold what a person holds', async (kind) => {
      const holder = await rows.principal(kind);
      const belongs = /credential belongs to a person/;
      for (const personal of ['personal', 'sign_in', 'one_time', 'session', 'link'])
        await expect(rows.insert('credential', rows.credential(holder, { kind: personal }))).rejects.toThrow(belongs);
      const own = rows.credential(await rows.reviewer(), decide('personal', HOUR_LATER));
      await rows.insert('credential', own);
      await expect(set('credential', own['id'], `"principal_id" = '${holder}'`)).rejects.toThrow(belongs);
    });

    it('to no person by a long-lived token', async () => {
      const token = rows.credential(await rows.reviewer(), { kind: 'token' });
      await expect(rows.insert('credential', token)).rejects.toThrow(/a person has no long-lived token/);
    });
  });

  it.each(['agent', 'service'] as const)('makes no person, reviewer or administrator of an %s', async (kind) => {
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
