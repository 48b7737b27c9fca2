import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { AT, emailOf, GateRows, otherValues } from '../support/gate-rows.js';

const NEEDS_APPROVAL = /org memory needs a person's approval of exactly these bytes/;
const NEVER_CHANGES = /an approved skill never changes in place/;
const ONLY_APPROVED = /only approved bytes are published/;
const RENAMES = /a skill is renamed only as it was approved/;
const BYTES_STAY =
  /a publication never changes its bytes|an approval publishes, and a retirement takes away|renamed only as it was approved/;

/** The columns of an approved skill that its use and its successor change. A person approved all others. */
const MUTABLE_SKILL_COLUMNS = [
  'superseded_by_id',
  'application_count',
  'last_applied_at',
  'relevance_count',
  'last_retrieved_at',
];
const MUTABLE_PUBLICATION_COLUMNS = ['state', 'attempts', 'last_error', 'commit', 'published_at'];

describe('the gate in the database, for org memory and publications,', () => {
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

  const count = (table: 'memory' | 'publication', id: unknown) =>
    opened.database.client.$queryRawUnsafe<{ n: number }[]>(
      `SELECT count(*)::int AS n FROM "${table}" WHERE "id" = '${id}'`,
    );

  it('accepts org memory and a publication that a reviewer approved', async () => {
    const proposal = await rows.approved();
    const memory = rows.orgMemory(proposal);
    await rows.insert('memory', memory);
    await rows.insert('publication', rows.publication(proposal));
    expect(await count('memory', memory['id'])).toEqual([{ n: 1 }]);
  });

  describe('rejects as org memory', () => {
    it('an entry without an approval', async () => {
      const proposal = await rows.approved();
      await expect(rows.insert('memory', rows.orgMemory(proposal, { proposal_id: null }))).rejects.toThrow(
        /memory_org_needs_approval/,
      );
    });

    it('an entry without an approval, skill or version, even with its trigger disabled', async () => {
      const proposal = await rows.approved();
      await rows.sql('ALTER TABLE "memory" DISABLE TRIGGER USER');
      for (const missing of ['proposal_id', 'skill_name', 'version'])
        await expect(rows.insert('memory', rows.orgMemory(proposal, { [missing]: null }))).rejects.toThrow(
          /memory_org_needs_approval/,
        );
      await rows.sql('ALTER TABLE "memory" ENABLE TRIGGER USER');
    });

    it('a lesson without an agent', async () => {
      await expect(rows.insert('memory', rows.memory({ scope: 'agent' }))).rejects.toThrow(
        /memory_agent_scope_has_agent/,
      );
    });

    it('an entry that names a missing proposal', async () => {
      const { id } = rows.proposalRow();
      const proposal = await rows.approved();
      await expect(rows.insert('memory', rows.orgMemory(proposal, { proposal_id: id }))).rejects.toThrow(
        /memory_proposal_id_fkey/,
      );
    });

    it('an entry of an undecided proposal', async () => {
      const proposal = await rows.proposal();
      await expect(rows.insert('memory', rows.orgMemory(proposal))).rejects.toThrow(NEEDS_APPROVAL);
    });

    it('an entry of a proposal that is still pending despite an approval', async () => {
      const proposal = await rows.proposal();
      await rows.decide(proposal, await rows.reviewer());
      await expect(rows.insert('memory', rows.orgMemory(proposal))).rejects.toThrow(NEEDS_APPROVAL);
    });

    it('an entry of a rejected proposal', async () => {
      const proposal = await rows.proposal();
      await rows.decide(proposal, await rows.reviewer(), { verdict: 'rejected', reason: 'no' });
      await rows.setState(proposal, 'rejected');
      await expect(rows.insert('memory', rows.orgMemory(proposal))).rejects.toThrow(NEEDS_APPROVAL);
    });

    it.each([
      ['other bytes than the approved ones', { content_sha256: sha256('other bytes') }],
      ['the name of another skill', { skill_name: 'another-skill' }],
      ['another version', { version: 2 }],
      ['another discovery', { discovery: 'Use always.' }],
      ['another cause', { parts: { cause: 'Another reason.' } }],
      ['another condition', { condition: 'always' }],
      ['another action', { action: 'Run anything.' }],
      ['another rationale', { rationale: 'Because.' }],
      ['other steps', { steps: ['Run anything.'] }],
      ['other tags', { tags: ['every-task'] }],
    ])('with a valid approval, %s', async (_what, forged) => {
      const proposal = await rows.approved();
      await expect(rows.insert('memory', rows.orgMemory(proposal, forged))).rejects.toThrow(NEEDS_APPROVAL);
      await rows.insert('memory', rows.orgMemory(proposal));
    });

    it('a second use of the same approval', async () => {
      const proposal = await rows.approved();
      await rows.insert('memory', rows.orgMemory(proposal, { superseded_at: AT }));
      await expect(rows.insert('memory', rows.orgMemory(proposal))).rejects.toThrow(
        /memory_one_entry_per_approval|23505/,
      );
    });

    it('a second live skill of the same name', async () => {
      const first = await rows.approved();
      const second = await rows.approved({ skill_name: first.skill_name });
      await rows.insert('memory', rows.orgMemory(first));
      await expect(rows.insert('memory', rows.orgMemory(second))).rejects.toThrow(/memory_one_live_skill|23505/);
      await rows.insert('memory', rows.orgMemory(second, { superseded_at: AT }));
    });

    it("an agent's lesson with its scope changed to org", async () => {
      const lesson = rows.memory({ scope: 'agent', agent_id: await rows.principal('agent') });
      await rows.insert('memory', lesson);
      const proposal = await rows.proposal();
      const promote = (more: string) =>
        rows.sql(`UPDATE "memory" SET "scope" = 'org'${more} WHERE "id" = '${lesson['id']}'`);
      await expect(promote('')).rejects.toThrow(NEEDS_APPROVAL);
      const pending = `, "proposal_id" = '${proposal.id}', "skill_name" = '${proposal.skill_name}', "version" = 1`;
      await expect(promote(pending)).rejects.toThrow(NEEDS_APPROVAL);
      await expect(promote(`${pending}, "content_sha256" = '${proposal.artifact_sha256}'`)).rejects.toThrow(
        NEEDS_APPROVAL,
      );
    });
  });

  it('changes no column of an approved skill, including future columns', async () => {
    const proposal = await rows.approved();
    const memory = rows.orgMemory(proposal, { agent_id: await rows.principal('agent'), cost: {} });
    await rows.insert('memory', memory);
    const columns = await otherValues(opened.database, 'memory');
    const approved = [...columns].filter(([name]) => ![...MUTABLE_SKILL_COLUMNS, 'superseded_at'].includes(name));
    expect(approved.length).toBeGreaterThan(20);
    for (const [name, value] of approved)
      await expect(rows.sql(`UPDATE "memory" SET "${name}" = ${value} WHERE "id" = '${memory['id']}'`)).rejects.toThrow(
        NEVER_CHANGES,
      );
    for (const name of MUTABLE_SKILL_COLUMNS)
      expect(
        await rows.sql(`UPDATE "memory" SET "${name}" = ${columns.get(name)} WHERE "id" = '${memory['id']}'`),
      ).toBe(1);
  });

  it('ends a skill only by a decision that names it, and never restores an ended one', async () => {
    const proposal = await rows.approved();
    const memory = rows.orgMemory(proposal);
    await rows.insert('memory', memory);
    const set = (value: string) =>
      rows.sql(`UPDATE "memory" SET "superseded_at" = ${value} WHERE "id" = '${memory['id']}'`);
    const needsDecision = /a skill is replaced or retired only by a person's decision/;
    await expect(set('now()')).rejects.toThrow(needsDecision);
    await rows.approved();
    const asked = await rows.proposal({ supersedes_id: memory['id'] });
    await expect(set('now()')).rejects.toThrow(needsDecision);
    await rows.decide(asked, await rows.reviewer());
    await rows.setState(asked, 'approved');
    expect(await set('now()')).toBe(1);
    for (const value of ['NULL', `now() + interval '1 day'`])
      await expect(set(value)).rejects.toThrow(/cannot be restored in place|never changes in place/);
  });

  it('admits nothing by a retirement: neither the skill that it ended nor its file', async () => {
    const live = await rows.approved();
    const memory = rows.orgMemory(live);
    await rows.insert('memory', memory);
    const { skill_name, artifact, artifact_sha256 } = live;
    const retired = await rows.approved({
      kind: 'retire',
      skill_name,
      artifact,
      artifact_sha256,
      supersedes_id: memory['id'],
    });
    await rows.sql(`UPDATE "memory" SET "superseded_at" = now() WHERE "id" = '${memory['id']}'`);
    await expect(rows.insert('memory', rows.orgMemory(retired))).rejects.toThrow(/a retirement admits nothing/);
    const publish = rows.publication(retired, { kind: 'publish' });
    await expect(rows.insert('publication', publish)).rejects.toThrow(/a retirement takes away/);
    const remove = rows.publication(live, { kind: 'retire' });
    await expect(rows.insert('publication', remove)).rejects.toThrow(/an approval publishes/);
    await rows.insert('publication', rows.publication(retired));
  });

  describe('after an external edit was rejected,', () => {
    const EDIT = { from: 'main', sha256: null, text: null, notes: [] };
    /** A live skill, and a rejected proposal about an external edit of it. */
    async function rejected(more: Record<string, unknown> = {}) {
      const live = await rows.approved();
      const memory = rows.orgMemory(live);
      await rows.insert('memory', memory);
      const proposal = await rows.proposal({
        kind: 'amend',
        edit: EDIT,
        votes_needed: 2,
        skill_name: live.skill_name,
        version: 2,
        supersedes_id: memory['id'],
        ...more,
      });
      const name = `Who rejected ${proposal.id}`;
      await rows.decide(proposal, await rows.reviewer({ name }), { verdict: 'rejected' });
      await rows.setState(proposal, 'rejected');
      const { artifact, artifact_sha256 } = live;
      const restore = { kind: 'restore', author_name: name, author_email: emailOf(name), artifact, artifact_sha256 };
      return { proposal, memory, publication: (forged = {}) => rows.publication(proposal, { ...restore, ...forged }) };
    }

    it('allows to restore the bytes approved before, and nothing else', async () => {
      const { proposal, publication } = await rejected();
      const { artifact, artifact_sha256 } = proposal;
      for (const forged of [
        { artifact, artifact_sha256 },
        { version: 2 },
        { author_name: 'Another Person' },
        { skill_name: 'another-skill' },
        { kind: 'publish' },
      ])
        await expect(rows.insert('publication', publication(forged))).rejects.toThrow(ONLY_APPROVED);
      await rows.insert('publication', publication());
    });

    it('allows no restore for a proposal without an external edit', async () => {
      const { publication } = await rejected({ edit: null });
      await expect(rows.insert('publication', publication())).rejects.toThrow(ONLY_APPROVED);
    });

    it('allows no restore of a skill that has ended since', async () => {
      const { memory, publication } = await rejected();
      const next = await rows.proposal({ supersedes_id: memory['id'] });
      await rows.decide(next, await rows.reviewer());
      await rows.setState(next, 'approved');
      await rows.sql(`UPDATE "memory" SET "superseded_at" = now() WHERE "id" = '${memory['id']}'`);
      await expect(rows.insert('publication', publication())).rejects.toThrow(ONLY_APPROVED);
    });
  });

  it('removes a folder in a publication only for an approved rename', async () => {
    const live = await rows.approved();
    const memory = rows.orgMemory(live);
    await rows.insert('memory', memory);
    const renaming = await rows.approved({ kind: 'amend', supersedes_id: memory['id'] });
    const other = await rows.approved();
    const cases = [
      [renaming, null],
      [renaming, 'another-skill'],
      [other, live.skill_name],
    ] as const;
    for (const [proposal, renamed_from] of cases)
      await expect(rows.insert('publication', rows.publication(proposal, { renamed_from }))).rejects.toThrow(RENAMES);
    await rows.insert('publication', rows.publication(renaming, { renamed_from: live.skill_name }));
  });

  it('never deletes org memory, and allows an agent to delete its own lesson', async () => {
    const memory = rows.orgMemory(await rows.approved());
    const lesson = rows.memory({ scope: 'agent', agent_id: await rows.principal('agent') });
    await rows.insert('memory', memory);
    await rows.insert('memory', lesson);
    const kept = /org memory is superseded, never deleted|memory is append-only/;
    await expect(rows.sql(`DELETE FROM "memory" WHERE "id" = '${memory['id']}'`)).rejects.toThrow(kept);
    await expect(rows.sql(`DELETE FROM "memory"`)).rejects.toThrow(kept);
    await expect(rows.sql(`TRUNCATE "memory"`)).rejects.toThrow(kept);
    expect(await rows.sql(`DELETE FROM "memory" WHERE "id" = '${lesson['id']}'`)).toBe(1);
    expect(await count('memory', memory['id'])).toEqual([{ n: 1 }]);
  });

  describe('rejects as a publication', () => {
    it('bytes without an approval', async () => {
      const proposal = await rows.proposal();
      await expect(rows.insert('publication', rows.publication(proposal))).rejects.toThrow(ONLY_APPROVED);
    });

    it('other bytes, with their own hash or with the approved one', async () => {
      const proposal = await rows.approved();
      const artifact = 'other bytes';
      const own = rows.publication(proposal, { artifact, artifact_sha256: sha256(artifact) });
      await expect(rows.insert('publication', own)).rejects.toThrow(ONLY_APPROVED);
      const borrowed = rows.publication(proposal, { artifact });
      await expect(rows.insert('publication', borrowed)).rejects.toThrow(/publication_hash_is_of_artifact/);
    });

    it.each([
      ['the name of another skill', { skill_name: 'another-skill' }],
      ['another version', { version: 7 }],
      ['an author who did not approve', { author_name: 'Another Person' }],
      ["another person's e-mail address", { author_email: 'another@example.org' }],
    ])('approved bytes with %s', async (_what, forged) => {
      const proposal = await rows.approved();
      await expect(rows.insert('publication', rows.publication(proposal, forged))).rejects.toThrow(ONLY_APPROVED);
    });

    it('a second use of the same approval', async () => {
      const proposal = await rows.approved();
      await rows.insert('publication', rows.publication(proposal));
      await expect(rows.insert('publication', rows.publication(proposal))).rejects.toThrow(
        /publication_proposal_id_key|23505/,
      );
    });
  });

  it('changes only the progress of a publication', async () => {
    const publication = rows.publication(await rows.approved());
    await rows.insert('publication', publication);
    const columns = await otherValues(opened.database, 'publication');
    const set = (name: string) =>
      rows.sql(`UPDATE "publication" SET "${name}" = ${columns.get(name)} WHERE "id" = '${publication['id']}'`);
    for (const name of columns.keys())
      if (!MUTABLE_PUBLICATION_COLUMNS.includes(name)) await expect(set(name)).rejects.toThrow(BYTES_STAY);
    for (const name of MUTABLE_PUBLICATION_COLUMNS) expect(await set(name)).toBe(1);
  });
});
