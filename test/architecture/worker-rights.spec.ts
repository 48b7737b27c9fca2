import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabaseUrl } from '../../src/platform/config/environment.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { AT, GateRows, otherValues, type ProposalRow } from '../support/gate-rows.js';
import { CHANGES, STATEMENTS } from '../support/worker-rights.js';

type Row = Record<string, unknown>;
const GROUP = { department: 'sales', role: null };

describe('the rights of background work', () => {
  it('are written down, each with a reason or a refusal', () => {
    const attempts = [
      ...Object.values(CHANGES).flatMap((columns) => Object.values(columns)),
      ...Object.values(STATEMENTS),
    ];
    for (const { harmless, refused } of attempts) expect([harmless, refused].filter(Boolean)).toHaveLength(1);
  });
});

if (testDatabaseUrl() !== undefined)
  describe('the worker role on PostgreSQL', () => {
    let app: TestApplication;
    let rows: GateRows;
    let proposal: ProposalRow;
    let agent: string;
    let owner: string;
    const undone = (sql: string, ...before: string[]) =>
      app.database.worker.client
        .$transaction(async (tx) => {
          for (const earlier of before) await tx.$executeRawUnsafe(earlier);
          const changed = await tx.$executeRawUnsafe(sql);
          throw new Undone(String(changed));
        })
        .catch((error: unknown) => {
          if (error instanceof Undone) return Number(error.message);
          throw error;
        });
    const insert = (table: string, row: Row) =>
      undone(
        `INSERT INTO "${table}" SELECT * FROM jsonb_populate_record(NULL::"${table}",
           '${JSON.stringify(row).replaceAll("'", "''")}'::jsonb)`,
      );

    const evidence = () => ({ owners: 1, seenBy: [{ agent: 'agent of the evidence', owner: 'Olga Owner' }] });
    const proposalRow = (more: Row = {}) =>
      rows.proposalRow({ evidence: evidence(), audience: [GROUP], source_owner_id: owner, ...more });

    beforeAll(async () => {
      app = await startTestApplication();
      rows = new GateRows(app.database);
      await rows.reviewer();
      owner = await rows.reviewer({ name: 'Olga Owner' });
      agent = await rows.principal('agent', {
        name: 'agent of the evidence',
        department: 'sales',
        owner: 'Olga Owner',
      });
      proposal = proposalRow({
        votes_needed: 3,
        risk: 'high',
        edit: null,
        kind: 'supersede',
        findings: { suspicions: [{ kind: 'override', count: 2 }], redactions: [] },
      });
      await rows.insert('proposal', proposal);
      await seed();
    });
    afterAll(() => app.close());

    const seed = async () => {
      const id = randomUUID();
      const at = { created_at: AT, started_at: AT, reserved_at: AT, until: AT };
      const execution = {
        id,
        agent_id: agent,
        execution_id: 'e',
        report_sha256: '',
        task_id: '',
        origin: '',
        status: 'ok',
      };
      await rows.insert('execution', {
        ...execution,
        started_at: AT,
        finished_at: AT,
        received_at: AT,
        report: {},
        findings: [],
        capture_state: 'captured',
        call_outcomes: {},
        owner: 'owner',
        reporter_id: agent,
        credential_id: agent,
      });
      const payload = {
        id,
        execution_id: id,
        agent_id: agent,
        kind: 'failure',
        body: {},
        state: 'pending',
        attempts: 0,
      };
      const tokens = { input_tokens: 0, cache_write_tokens: 0, cache_read_tokens: 0, output_tokens: 0, cost_nano: 0 };
      const call = {
        id,
        payload_id: id,
        execution_id: id,
        agent_id: agent,
        proposer: '',
        model: '',
        purpose: 'lesson',
      };
      await rows.insert('analysis_payload', { ...payload, ...at });
      await rows.insert('proposer_call', { ...call, ...tokens, ...at });
      await rows.insert('proposer_batch', { id, purpose: 'lesson', state: 'prepared', payloads: 1, ...at });
      await rows.insert('family_answer', {
        id,
        family: 'f',
        by: 'model',
        hash: `sha256:${'0'.repeat(64)}`,
        executions: 1,
        learned_from: 'a',
        dossier: {},
        shown: '',
        outcome: 'malformed',
        rewritten: false,
        cycle_id: id,
        asked_at: AT,
      });
      const support = { agents: 3, owners: 1, projects: 3, tasks: 3 };
      await rows.insert('live_check', { memory_id: id, check: {}, ...support, cycle_id: id, at: AT });
      await rows.insert('recall_model_day', { day: '2026-03-01', calls: 5 });
      await rows.insert('proposal_words', { proposal_id: proposal.id, rules: 1, words: 'word' });
      await rows.insert('memory', rows.memory({ scope: 'agent', agent_id: agent }));
      await rows.insert('observation', { execution_id: id, version: 1, body: {} });
      await rows.insert('upkeep_run', { id, trigger: '', dry_run: true, ...at });
      const consolidation = {
        agent_id: agent,
        trigger: 'request',
        dry_run: true,
        state: 'failed',
        failure: '',
        sessions: 0,
      };
      await rows.insert('consolidation_run', { id, ...consolidation, started_at: AT, finished_at: AT });
      await rows.insert('run', {
        id: randomUUID(),
        kind: 'upkeep',
        trigger: 'request',
        dry_run: true,
        input: {},
        state: 'completed',
        started_at: AT,
        finished_at: AT,
      });
      await rows.insert('evolver_cycle', { id, trigger: '', dry_run: true, state: 'running', ...at });
      await rows.insert('lease', { name: 'evolver-cycle', holder: id, ...at });
    };

    it('has an attempt for every column that it may change', async () => {
      const granted = await app.database.client.$queryRaw<{ table: string; column: string }[]>`
        SELECT c.relname::text AS "table", a.attname::text AS "column" FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
           AND has_column_privilege(worker_role(), c.oid, a.attnum, 'UPDATE') ORDER BY 1, 2`;
      const tried = Object.entries(CHANGES).flatMap(([table, columns]) =>
        Object.keys(columns).map((column) => `${table}.${column}`),
      );
      expect(granted.map(({ table, column }) => `${table}.${column}`)).toEqual(tried.sort());
    });

    it.each(Object.keys(CHANGES))('changes %s only where it is harmless', async (table) => {
      const values = await otherValues(app.database, table);
      // People vote on a revision, so that everything else is refused without a new one.
      const also = table === 'proposal' ? ', "revision" = "revision" + 1' : '';
      for (const [column, { to, refused }] of Object.entries(CHANGES[table] ?? {})) {
        const more = column === 'revision' ? '' : also;
        const where = table === 'memory' ? `WHERE "scope" = 'agent'` : '';
        const changing = undone(`UPDATE "${table}" SET "${column}" = ${to ?? values.get(column)}${more} ${where}`);
        if (refused !== undefined) await expect(changing).rejects.toThrow(refused);
        else expect([table, column, (await changing) > 0]).toEqual([table, column, true]);
      }
    });

    it('clears no external edit, and turns none into something else', async () => {
      const edit = { kind: 'amend', votes_needed: 2, edit: { from: 'main' } };
      const { id } = await rows.proposal({ ...edit, evidence: evidence(), source_owner_id: owner });
      await rows.sql(`GRANT UPDATE ON "proposal" TO "${await roleName()}"`);
      const revise = (what: string) =>
        undone(`UPDATE proposal SET revision = revision + 1, ${what} WHERE id = '${id}'`);
      await expect(revise(`kind = 'new_skill'`)).rejects.toThrow('turns no proposal into an amendment');
      await rows.sql('SELECT worker_role_install()::text');
      await expect(revise('edit = NULL')).rejects.toThrow('permission denied');
    });

    it.each<[string, Row, string]>([
      ['an approved one', { state: 'approved' }, 'starts pending'],
      ['one without votes', { votes_needed: 0 }, 'proposal_needs_a_person'],
      ['one in a person’s name', { editor_id: 'owner' }, 'in no person'],
      ['a person’s edit', { edit: { from: 'main' } }, 'submits no edit of a person'],
      ['an amendment', { kind: 'amend' }, 'submits no edit of a person'],
      ['a reopened one', { reopened_from_id: randomUUID() }, 'reopens no proposal'],
      ['a later revision', { revision: 7 }, 'submits first revisions'],
      ['a decided one', { decided_at: AT }, 'submits first revisions'],
      ['an urgent one', { urgent: true }, 'only its requests as urgent'],
      ['a retirement of nothing', { kind: 'retire' }, 'asks to retire a live skill'],
      ['one that leaves out the owner of its agents', { source_owner_id: null }, 'names the owner of all agents'],
      ['one for another group', { audience: [{ department: 'other', role: null }] }, 'names every group'],
      ['one for a group without evidence', { evidence: { seenBy: [] } }, 'names every group'],
      ['other bytes than its hash', { artifact: 'other' }, 'proposal_hash_is_of_artifact'],
    ])('does not submit %s', async (_what, more, error) => {
      const row = more['editor_id'] === 'owner' ? { editor_id: owner } : more;
      await expect(insert('proposal', proposalRow(row))).rejects.toThrow(error);
      expect(await insert('proposal', proposalRow())).toBe(1);
    });

    it.each<[string, Row]>([
      ['verified', { provenance: 'verified' }],
      ['pinned', { pinned_at: AT }],
      ['org memory', { scope: 'org' }],
      ['for a department', { scope: 'department' }],
      ['approved', { proposal_id: 'proposal' }],
      ['used', { application_count: 5 }],
      ['recalled', { relevance_count: 5 }],
    ])('writes no lesson that is %s', async (_what, more) => {
      const lesson = rows.memory({ scope: 'agent', agent_id: agent });
      const row = more['proposal_id'] ? { ...lesson, proposal_id: proposal.id } : { ...lesson, ...more };
      // A trigger refuses the first before the policy does.
      await expect(insert('memory', row)).rejects.toThrow(
        /row-level security|gate: a private memory is verified|gate: only a reviewer for the whole group/,
      );
      expect(await insert('memory', lesson)).toBe(1);
    });

    it('copies the rank of a verified lesson with the same words only', async () => {
      const lesson = rows.memory({ scope: 'agent', agent_id: agent });
      await rows.insert('memory', lesson);
      // Without the evidence that the gate asks for, which is not tested here.
      await app.database.transaction(async (tx) => {
        await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
        await tx.$executeRaw`UPDATE memory SET provenance = 'verified' WHERE id = ${String(lesson['id'])}::uuid`;
      });
      const verified: Row = { ...lesson, provenance: 'verified' };
      const peer = await rows.principal('agent');
      const copy = { ...verified, id: randomUUID(), agent_id: peer, propagated_from_id: verified['id'] };
      expect(await insert('memory', copy)).toBe(1);
      await expect(insert('memory', { ...copy, action: 'Run another one.' })).rejects.toThrow('row-level security');
    });

    it('takes no lease of the server, and ends none', async () => {
      const lease = { holder: randomUUID(), until: AT };
      await rows.insert('lease', { name: 'memory-vectors', ...lease });
      await expect(insert('lease', { name: 'publisher', ...lease })).rejects.toThrow('row-level security');
      expect(await undone(`DELETE FROM lease WHERE name = 'memory-vectors'`)).toBe(0);
      expect(await undone(`UPDATE lease SET until = now() WHERE name = 'memory-vectors'`)).toBe(0);
    });

    it('adds no journal entry with a wrong hash, and none alone', async () => {
      const added = (hash: string) => `INSERT INTO journal_entry (seq, at, actor_kind, actor_id, actor_name, action,
          subject_type, subject_id, data, previous_hash, hash)
        SELECT seq + 1, now(), 'job', 'job:evolver', 'evolver', 'a', 't', 'i', '{}', hash, '${hash}' FROM journal_head`;
      await expect(undone(added('0'.repeat(64)))).rejects.toThrow('the hash is not of this journal entry');
    });

    it.each(Object.entries(STATEMENTS))('%s', async (sql, { refused }) => {
      if (refused !== undefined) await expect(undone(sql)).rejects.toThrow(refused);
      else expect(await undone(sql)).toBeGreaterThanOrEqual(0);
    });

    it('reads the real tables in its triggers, beside a temporary one of the same name', async () => {
      const shadow = [
        'CREATE TEMP TABLE journal_entry (LIKE public.journal_entry)',
        'SET LOCAL search_path = pg_temp, public',
      ];
      const forged = `INSERT INTO pg_temp.journal_entry SELECT 999, now(), '', '', '', '', '', '', '', hash, 'x'
        FROM public.journal_head`;
      await expect(
        undone(
          `UPDATE public.journal_head SET seq = seq + 1, hash = 'x'`,
          ...shadow,
          forged.replace('999', '(SELECT seq + 1 FROM public.journal_head)'),
        ),
      ).rejects.toThrow('the journal continues with the next entry only');
      const open = await app.database.client.$queryRaw<{ name: string }[]>`
        SELECT proname::text AS "name" FROM pg_proc
         WHERE pronamespace = 'public'::regnamespace AND prorettype = 'trigger'::regtype
           AND NOT COALESCE(proconfig::text LIKE '%search_path=public, pg_temp%', false)`;
      expect(open).toEqual([]);
    });

    it('leaves the journal usable after all of it', async () => {
      await app.admin.people.list();
      expect((await app.admin.journal.verify()).intact).toBe(true);
    });

    const roleName = async (): Promise<string> => {
      const [row] = await app.database.client.$queryRaw<{ role: string }[]>`SELECT worker_role()::text AS "role"`;
      return row?.role ?? '';
    };
  });

class Undone extends Error {}
