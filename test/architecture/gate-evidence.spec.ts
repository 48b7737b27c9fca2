import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { AT, GateRows } from '../support/gate-rows.js';
import { verifiedByPerson } from '../support/memories.js';

const TWO_OWNERS = /gate: a private memory is verified by a person, or by evidence of two owners and two credentials/;
const BELOW = /gate: a copy is worth no more than its source/;

describe('the gate in the database, for private memory,', () => {
  let opened: TestDatabase;
  let rows: GateRows;
  let agent: string;

  beforeAll(async () => {
    opened = await openTestDatabase({ fresh: true });
    rows = new GateRows(opened.database);
  });
  afterAll(async () => {
    await opened.database.close();
    await opened.drop();
  });
  beforeEach(async () => {
    agent = await rows.principal('agent', { owner: 'books' });
  });

  async function execution(of: string, owner: string | null, reporter: string = of): Promise<Record<string, unknown>> {
    const id = randomUUID();
    const row = {
      id,
      agent_id: of,
      execution_id: id,
      report_sha256: id,
      task_id: id,
      origin: id,
      status: 'completed',
      started_at: AT,
      finished_at: AT,
      received_at: AT,
      report: {},
      findings: [],
      capture_state: 'captured',
      call_outcomes: {},
      owner,
      reporter_id: reporter,
      credential_id: randomUUID(),
    };
    await rows.insert('execution', row);
    return row;
  }

  async function memory(more: Record<string, unknown> = {}): Promise<string> {
    const row = rows.memory({ scope: 'agent', agent_id: agent, ...more });
    await rows.insert('memory', row);
    return String(row['id']);
  }

  const evidence = (memoryId: string, more: Record<string, unknown>) =>
    rows.insert('memory_evidence', {
      id: randomUUID(),
      memory_id: memoryId,
      stance: 'supports',
      whole: true,
      reason: 'x',
      at: AT,
      source: 'x',
      ...more,
    });

  /** The remedy of the memory worked in an execution of this owner, reported by this principal. */
  async function worked(memoryId: string, owner: string | null, reporter?: string): Promise<void> {
    const other = await rows.principal('agent');
    const run = await execution(other, owner, reporter ?? other);
    const { id, agent_id, reporter_id } = run;
    await evidence(memoryId, { kind: 'tool_result', source: id, execution_id: id, agent_id, owner, reporter_id });
  }

  const verify = (id: string) => rows.sql(`UPDATE "memory" SET "provenance" = 'verified' WHERE "id" = '${id}'`);
  const taught = async () => memory({ source_execution_id: (await execution(agent, 'books'))['id'] });

  it('verifies a memory by reports of two owners with two credentials', async () => {
    const id = await taught();
    await worked(id, 'shop');
    expect(await verify(id)).toBe(1);
  });

  it('verifies no memory without evidence, and writes none as verified', async () => {
    const id = await taught();
    await expect(verify(id)).rejects.toThrow(TWO_OWNERS);
    await expect(memory({ provenance: 'verified' })).rejects.toThrow(TWO_OWNERS);
    await expect(memory({ provenance: 'verified', scope: 'role', role: 'ci', agent_id: null })).rejects.toThrow(
      TWO_OWNERS,
    );
  });

  it.each([
    ['agents of one owner', async (id: string) => Promise.all([worked(id, 'books'), worked(id, 'Books')])],
    [
      'one credential for several owners',
      async (id: string) => {
        const importer = await rows.principal('service');
        await worked(id, 'shop', importer);
        await worked(id, 'yard', importer);
      },
    ],
    ['agents without a stated owner', async (id: string) => Promise.all([worked(id, null), worked(id, null)])],
  ])('counts %s once', async (_what, report) => {
    // No own report that could be the second source.
    const id = await memory(
      _what.startsWith('agents') ? { source_execution_id: (await execution(agent, 'books'))['id'] } : {},
    );
    await report(id);
    await expect(verify(id)).rejects.toThrow(TWO_OWNERS);
  });

  it('counts a person once under a name and an address', async () => {
    await rows.reviewer({ name: 'Rita Alias', email: 'rita@example.org' });
    const id = await memory();
    for (const owner of ['rita alias', 'RITA@example.org', 'Rita Alias']) await worked(id, owner);
    await expect(verify(id)).rejects.toThrow(TWO_OWNERS);
    await worked(id, 'shop');
    expect(await verify(id)).toBe(1);
  });

  it('does not count the report of another agent as the one that taught the memory', async () => {
    const foreign = await execution(await rows.principal('agent'), 'yard');
    const id = await memory({ source_execution_id: foreign['id'] });
    await worked(id, 'shop');
    await expect(verify(id)).rejects.toThrow(TWO_OWNERS);
  });

  it('never changes who reported an execution', async () => {
    const { id } = await execution(agent, 'books');
    for (const change of [
      `"owner" = 'yard'`,
      '"owner" = NULL',
      `"reporter_id" = '${randomUUID()}'`,
      `"credential_id" = '${randomUUID()}'`,
      `"agent_id" = '${await rows.principal('agent')}'`,
    ])
      await expect(rows.sql(`UPDATE "execution" SET ${change} WHERE "id" = '${id}'`)).rejects.toThrow(
        'gate: who reported an execution never changes',
      );
    expect(await rows.sql(`UPDATE "execution" SET "capture_state" = 'skipped' WHERE "id" = '${id}'`)).toBe(1);
  });

  it('does not count a move of an agent to another owner as a second owner', async () => {
    const id = await taught();
    await worked(id, 'books');
    await rows.sql(`UPDATE "principal" SET "owner" = 'yard' WHERE "kind" = 'agent'`);
    await expect(verify(id)).rejects.toThrow(TWO_OWNERS);
  });

  it.each([
    ['another owner than the report', { owner: 'yard' }],
    ['another reporter than the report', { reporter_id: randomUUID() }],
    ['another agent than the report', { agent_id: randomUUID() }],
    ['no execution', { execution_id: null }],
  ])('accepts no tool result that names %s', async (_what, forged) => {
    const id = await taught();
    const { id: run, ...reported } = await execution(await rows.principal('agent'), 'shop');
    const { agent_id, owner, reporter_id } = reported;
    const named = { kind: 'tool_result', source: run, execution_id: run, agent_id, owner, reporter_id };
    await expect(evidence(id, { ...named, ...forged })).rejects.toThrow(
      'gate: a tool result names its execution and who reported it',
    );
  });

  it('takes the word of active reviewers only, and an approved proposal only as a primary source', async () => {
    const id = await memory();
    const others = [await rows.principal('person'), agent, await rows.reviewer({ disabled_at: AT }), 'x'];
    for (const source of others)
      await expect(evidence(id, { kind: 'person', source })).rejects.toThrow(
        'gate: only an active person with the reviewer role vouches for a memory',
      );
    const pending = await rows.proposal();
    await expect(evidence(id, { kind: 'primary_source', source: pending.id })).rejects.toThrow(
      'gate: a primary source is an approved proposal',
    );
    await evidence(id, { kind: 'person', source: await rows.reviewer() });
    expect(await verify(id)).toBe(1);
    await rows.sql(`UPDATE "memory" SET "provenance" = 'unverified' WHERE "id" = '${id}'`);
    await evidence(id, { kind: 'person', source: await rows.reviewer(), stance: 'contradicts', at: '2026-03-02' });
    await expect(verify(id)).rejects.toThrow(TWO_OWNERS);
  });

  describe('a copy', () => {
    const copyOf = async (id: string, more: Record<string, unknown> = {}) =>
      memory({ propagated_from_id: id, agent_id: await rows.principal('agent'), ...more });

    it('is never verified while its source is not, and never surer than its source', async () => {
      const source = await memory({ confidence: 0.6 });
      await expect(copyOf(source, { provenance: 'verified', confidence: 0.6 })).rejects.toThrow(BELOW);
      await expect(copyOf(source, { confidence: 0.7 })).rejects.toThrow(BELOW);
      const copy = await copyOf(source, { confidence: 0.6 });
      await evidence(copy, { kind: 'person', source: await rows.reviewer() });
      await expect(verify(copy)).rejects.toThrow(BELOW);
      await expect(rows.sql(`UPDATE "memory" SET "confidence" = 0.9 WHERE "id" = '${copy}'`)).rejects.toThrow(BELOW);
      await verifiedByPerson(opened.database, source);
      expect(await verify(copy)).toBe(1);
    });

    it('does not stay above a source that is demoted, not even as a tombstone', async () => {
      const source = await memory();
      await verifiedByPerson(opened.database, source);
      const copy = await copyOf(source, { provenance: 'verified', superseded_at: AT });
      const demote = (...ids: string[]) =>
        rows.sql(`UPDATE "memory" SET "provenance" = 'unverified' WHERE "id" IN (${ids.map((id) => `'${id}'`)})`);
      await expect(demote(source)).rejects.toThrow(BELOW);
      expect(await demote(source, copy)).toBe(2);
    });

    it('needs evidence when it is detached from its source', async () => {
      const source = await memory();
      await verifiedByPerson(opened.database, source);
      const copy = await copyOf(source, { provenance: 'verified' });
      await expect(rows.sql(`UPDATE "memory" SET "propagated_from_id" = NULL WHERE "id" = '${copy}'`)).rejects.toThrow(
        TWO_OWNERS,
      );
    });
  });
});
