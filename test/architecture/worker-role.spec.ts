import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabaseUrl } from '../../src/platform/config/environment.js';
import { Database, withRole } from '../../src/platform/database/database.js';
import { MIGRATIONS } from '../../src/platform/database/migrate.js';
import { WEBHOOK_EVENTS } from '../../src/webhooks/webhooks.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { proposedByFleet } from '../support/fleet.js';
import { GateRows, type ProposalRow } from '../support/gate-rows.js';
import { createPlainDatabase } from '../support/server-database.js';

const server = testDatabaseUrl();

/** The columns of a proposal that a refresh or a withdrawal writes. */
const PROPOSAL_COLUMNS = [
  ...['action_fingerprint', 'agents', 'applicability', 'artifact', 'artifact_sha256', 'audience', 'confidence'],
  ...['cycle_id', 'decided_at', 'evidence', 'findings', 'fingerprints', 'impact', 'kind', 'proposed_skill', 'revision'],
  ...['risk', 'skill_name', 'source_owner_id', 'state', 'supersedes_id', 'title', 'updated_at', 'verdict', 'version'],
  'votes_needed',
];

describe('the database URL of background work', () => {
  it('adds the role to existing start-up options of the URL', () => {
    const options = (url: string, role: string) => new URL(withRole(url, role)).searchParams.get('options');
    expect(options('postgresql://a@host:5433/db', 'db_worker')).toBe('-c role=db_worker');
    expect(options('postgresql://a@host/db?options=-c%20search_path%3Dx', 'w')).toBe('-c search_path=x -c role=w');
    expect(options('postgresql://a@host/db', 'my db\\worker')).toBe('-c role=my\\ db\\\\worker');
  });
});

if (server === undefined)
  describe('the worker role on the embedded database', () => {
    it('is not in force, and the server reports it', async () => {
      const app = await startTestApplication();
      expect(await app.client().health()).toMatchObject({
        database: 'embedded',
        roles: 'not in force: the embedded database has one session',
      });
      expect(app.database.worker.client).toBe(app.database.client);
      await app.close();
    });
  });
else {
  describe('the worker role on PostgreSQL, without the triggers of the gate', () => {
    let app: TestApplication;
    let rows: GateRows;
    let approved: ProposalRow;
    let pending: ProposalRow;
    let person: string;
    let live: string;
    let endpoint: string;

    beforeAll(async () => {
      app = await startTestApplication();
      rows = new GateRows(app.database);
      person = await rows.reviewer();
      pending = await rows.proposal();
      approved = await rows.approved();
      const entry = rows.orgMemory(await rows.approved());
      await rows.insert('memory', entry);
      live = String(entry['id']);
      endpoint = (await app.admin.webhooks.add({ url: 'https://hooks.example.org/' })).id;
      // Only the role remains then.
      for (const table of ['memory', 'proposal', 'proposal_decision', 'publication', 'journal_entry'])
        await rows.sql(`ALTER TABLE "${table}" DISABLE TRIGGER USER`);
    });
    afterAll(() => app.close());

    const asWorker = (sql: string) => app.database.worker.client.$executeRawUnsafe(sql);
    const insertAsWorker = (table: string, row: object) =>
      app.database.worker.client.$executeRawUnsafe(
        `INSERT INTO "${table}" SELECT * FROM jsonb_populate_record(NULL::"${table}", $1::jsonb)`,
        JSON.stringify(row),
      );

    it('is in force, and the server reports it', async () => {
      expect(await app.client().health()).toMatchObject({ database: 'postgresql', roles: 'in force' });
    });

    it('is set on every connection, and RESET ROLE returns to it', async () => {
      const { client } = app.database.worker;
      const who = () => client.$queryRaw<{ is: string }[]>`SELECT current_user::text AS "is", pg_sleep(0.05)::text`;
      const seen = (await Promise.all(Array.from({ length: 6 }, who))).flat().map((row) => row.is);
      await client.$executeRawUnsafe('RESET ROLE');
      expect(new Set([...seen, ...(await who()).map((row) => row.is)])).toEqual(new Set([await roleName(app)]));
    });

    it('cannot write org memory, not even an approved entry', async () => {
      await expect(insertAsWorker('memory', rows.orgMemory(approved))).rejects.toThrow(
        'new row violates row-level security policy for table "memory"',
      );
      await rows.insert('memory', rows.orgMemory(approved));
    });

    it.each([
      ['end a live skill', () => `UPDATE memory SET superseded_at = now() WHERE id = '${live}'`, 'row-level security'],
      ['change a skill', () => `UPDATE memory SET "action" = 'rm' WHERE id = '${live}'`, 'permission denied'],
      ['make a lesson org memory', () => `UPDATE memory SET scope = 'org'`, 'permission denied'],
      ['delete memory', () => 'DELETE FROM memory', 'permission denied'],
      ['decide', () => decision(), 'permission denied for table proposal_decision'],
      ['delete a decision', () => 'DELETE FROM proposal_decision', 'permission denied for table proposal_decision'],
      ['approve a proposal', () => move('approved'), 'row-level security policy for table "proposal"'],
      ['reject a proposal', () => move('rejected'), 'row-level security policy for table "proposal"'],
      ['publish', () => 'INSERT INTO publication SELECT * FROM publication', 'permission denied for table publication'],
      ['make a reviewer', () => 'UPDATE principal SET is_reviewer = true', 'permission denied for table principal'],
      ['make a credential', () => 'INSERT INTO credential SELECT * FROM credential', 'permission denied'],
      ['read credentials', () => 'SELECT * FROM credential', 'permission denied for table credential'],
      ...['reviewer', 'admin', 'agent', 'JOB', 'job '].map((kind): [string, () => string, string] => [
        `write a journal entry of the kind "${kind}"`,
        () => entryOf(kind),
        'row-level security policy for table "journal_entry"',
      ]),
      [
        'add an entry of an administrator to its own',
        () => `${entryOf('job')}, ${rowOf(1000001, 'admin')}`,
        'row-level security',
      ],
      ['start a removal of reports', () => run('retention'), 'row-level security policy for table "run"'],
      ['undo a run', () => 'UPDATE "run" SET undone_at = now()', 'permission denied for table run'],
      ['read the secrets of webhooks', () => 'SELECT secret FROM webhook_endpoint', 'permission denied'],
      ['send messages elsewhere', () => `UPDATE webhook_endpoint SET url = 'x'`, 'permission denied'],
      ...(
        [
          ['a decision', 'proposal.approved', 'proposal.approved', 'pending'],
          ['a decision under another name', 'proposal.submitted', 'proposal.approved', 'pending'],
          ['a superseded skill', 'skill.superseded', 'skill.superseded', 'pending'],
          ['a delivered message', 'proposal.submitted', 'proposal.submitted', 'delivered'],
        ] as const
      ).map(([what, event, type, state]): [string, () => string, string] => [
        `announce ${what}`,
        () => deliver(event, type, state),
        'row-level security policy for table "webhook_delivery"',
      ]),
      ['change the journal', () => `UPDATE journal_entry SET "action" = 'x'`, 'permission denied'],
      ['sign the journal', () => 'DELETE FROM journal_checkpoint', 'permission denied'],
      ['disable row-level security', () => 'ALTER TABLE memory DISABLE ROW LEVEL SECURITY', 'must be owner'],
      ['disable the gate', () => 'ALTER TABLE memory DISABLE TRIGGER ALL', 'must be owner'],
    ])('cannot %s', async (_name, sql, error) => {
      await expect(asWorker(sql())).rejects.toThrow(error);
    });

    it('has the privileges that proposing and evolving need', async () => {
      await asWorker(`UPDATE proposal SET impact = impact + 1 WHERE id = '${pending.id}'`);
      await asWorker(entryOf('job'));
      const own = WEBHOOK_EVENTS.filter((event) => event.startsWith('evolver.'));
      for (const event of ['proposal.submitted', 'proposal.withdrawn', ...own]) await asWorker(deliver(event, event));
      const agent = await rows.principal('agent');
      const lesson = rows.memory({ scope: 'agent', agent_id: agent });
      await insertAsWorker('memory', lesson);
      expect(await asWorker(`UPDATE memory SET superseded_at = now() WHERE id = '${String(lesson['id'])}'`)).toBe(1);
    });

    const move = (state: string) => `UPDATE proposal SET state = '${state}' WHERE id = '${pending.id}'`;
    const decision = () =>
      `INSERT INTO proposal_decision (id, proposal_id, revision, artifact_sha256, principal_id, verdict, votes_needed, decided_at)
       VALUES ('${randomUUID()}', '${pending.id}', 1, '${pending.artifact_sha256}', '${person}', 'approved', 1, now())`;
    const deliver = (event: string, type: string, state = 'pending') =>
      `INSERT INTO webhook_delivery (id, endpoint_id, event, body, state, attempts, next_attempt_at, created_at)
       VALUES ('${randomUUID()}', '${endpoint}', '${event}', '${JSON.stringify({ type })}', '${state}', 0,
         '2999-01-01', now())`;
    const run = (kind: string) =>
      `INSERT INTO "run" (id, kind, trigger, dry_run, input, state, started_at)
       VALUES ('${randomUUID()}', '${kind}', 'schedule', false, '{}', 'running', now())`;
    const entryOf = (kind: string) =>
      `INSERT INTO journal_entry (seq, at, actor_kind, actor_id, actor_name, action, subject_type, subject_id, data,
         previous_hash, hash) VALUES ${rowOf(1000000, kind)}`;
    const rowOf = (seq: number, kind: string) =>
      `(${seq}, now(), '${kind}', 'job:name', 'name', 'action', 'type', 'id', '{}', '', '')`;
  });

  describe('the loop under the worker role', () => {
    let app: TestApplication;
    beforeAll(async () => {
      app = await startTestApplication();
    });
    afterAll(() => app.close());

    it('can take reports to a published skill', async () => {
      const proposed = await proposedByFleet(app, ['ada', 'ben', 'cem']);
      expect((await app.admin.lessons()).total).toBe(3);
      await app.admin.proposals.approve(proposed.id, proposed.artifactSha256);
      await app.settled();
      expect((await app.admin.skills.list()).items.map(({ publication }) => publication?.state)).toEqual(['published']);
    });

    it('can neither set nor clear the author of a revision', async () => {
      const rows = new GateRows(app.database);
      const [first, second] = [await rows.reviewer(), await rows.reviewer()];
      const proposal = await rows.proposal({ editor_id: second, earlier_editor_ids: [first] });
      const asWorker = (sql: string) => app.database.worker.client.$executeRawUnsafe(sql);
      const revise = (what: string) =>
        asWorker(`UPDATE proposal SET revision = revision + 1, ${what} WHERE id = '${proposal.id}'`);
      const FORGED = 'background work writes in no person';
      const authors = ['editor_id = NULL', `editor_id = '${first}'`, `earlier_editor_ids = '{}'`];
      for (const what of authors) await expect(revise(what)).rejects.toThrow('permission denied');
      // Even with the right to write the column.
      await rows.sql(`GRANT UPDATE ON "proposal" TO "${await roleName(app)}"`);
      for (const what of authors) await expect(revise(what)).rejects.toThrow(FORGED);
      expect(await revise('editor_id = editor_id, earlier_editor_ids = earlier_editor_ids')).toBe(1);
      await rows.sql('SELECT worker_role_install()::text');
      for (const row of [{ editor_id: first }, { earlier_editor_ids: [first] }])
        await expect(
          asWorker(
            `INSERT INTO proposal SELECT * FROM jsonb_populate_record(NULL::proposal,
               '${JSON.stringify(rows.proposalRow(row))}')`,
          ),
        ).rejects.toThrow(FORGED);
    });

    it.each([
      ['lease', 'the evolver takes its lease'],
      ['execution', 'the evolver reads the reports'],
    ])('depends on the role: without its privileges on %s, no cycle runs (%s)', async (table) => {
      const role = await roleName(app);
      await app.database.client.$executeRawUnsafe(`REVOKE ALL ON "${table}" FROM "${role}"`);
      await expect(app.admin.evolver.run(true)).rejects.toThrow('Internal error.');
      await app.database.client.$executeRawUnsafe('SELECT worker_role_install()::text');
      await app.admin.evolver.run(true);
    });
  });

  describe('every table', () => {
    it('states what the role may do with it', async () => {
      const app = await startTestApplication();
      const granted = await app.database.client.$queryRaw<{ name: string; privileges: string }[]>`
        SELECT c.relname::text AS "name", concat_ws(', ',
            (SELECT string_agg(p, ', ' ORDER BY p) FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) p
              WHERE has_table_privilege(worker_role(), c.oid, p)),
            (SELECT string_agg(lower(p) || ' ' || a.attname, ', ' ORDER BY p, a.attname)
               FROM pg_attribute a, unnest('{SELECT,INSERT,UPDATE}'::text[]) p
              WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT has_table_privilege(worker_role(), c.oid, p)
                AND has_column_privilege(worker_role(), c.oid, a.attnum, p))) AS "privileges"
          FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`;
      await app.close();
      expect(Object.fromEntries(granted.map(({ name, privileges }) => [name, privileges]))).toEqual({
        _prisma_migrations: '',
        active_embedder: '',
        agent_session: 'SELECT',
        analysis_payload:
          'SELECT, update attempts, update done_at, update lease_token, update lease_until, update outcome, ' +
          'update placeholder_id, update state',
        proposal_contradiction: 'INSERT, SELECT',
        proposal_decision: 'SELECT',
        proposal: `INSERT, SELECT, ${PROPOSAL_COLUMNS.map((column) => `update ${column}`).join(', ')}`,
        proposal_words: 'INSERT, SELECT, UPDATE',
        audit_stream: '',
        consolidation_pause: 'SELECT',
        consolidation_run:
          'INSERT, SELECT, update failure, update finished_at, update phase, update report, update sessions, update state',
        credential: '',
        delivery: '',
        delivery_pause: '',
        embedder_checkpoint: '',
        evolver_cycle: 'INSERT, SELECT, UPDATE',
        execution: 'SELECT',
        family_answer:
          'INSERT, SELECT, update answer, update asked_at, update cycle_id, update dossier, update executions, ' +
          'update learned_from, update outcome, update shown',
        family_question: 'DELETE, INSERT, SELECT',
        report_fragment: '',
        fragment_assembly: '',
        installation_key: '',
        journal_checkpoint: '',
        journal_entry: 'INSERT, SELECT',
        journal_head: 'SELECT, update hash, update seq',
        lease: 'DELETE, INSERT, SELECT, UPDATE',
        memory:
          'INSERT, SELECT, update awaiting_proposer, update end_reason, update ended_by_run_id, ' +
          'update last_witnessed_at, update superseded_at, update superseded_by_id, update witness_count',
        memory_change: 'INSERT',
        scheduled_job: '',
        server_process: '',
        mining_state: 'DELETE, INSERT, SELECT',
        mining_state_part: 'DELETE, INSERT, SELECT',
        memory_evidence: 'select kind, select memory_id',
        memory_retrieval: '',
        memory_source: 'INSERT, SELECT',
        memory_vector: '',
        memory_witness: 'DELETE, INSERT, SELECT',
        observation: 'INSERT, SELECT, UPDATE',
        principal: 'SELECT',
        promotion: '',
        proposer_batch: 'INSERT, SELECT, UPDATE',
        proposer_call: 'INSERT, SELECT, UPDATE',
        publication: '',
        recall_model_day: 'INSERT, SELECT, UPDATE',
        live_check: 'INSERT, SELECT, UPDATE',
        skill_rollout: 'SELECT',
        skill_use: '',
        skills_repository: '',
        tuning_run: '',
        upkeep_run: 'INSERT, SELECT, UPDATE',
        retention_run: '',
        run: 'INSERT, SELECT, update failure, update finished_at, update phase, update report, update state',
        webhook_delivery: 'INSERT',
        webhook_endpoint: 'select disabled_at, select events, select id',
      });
    });
  });

  describe('a login that may create no roles', () => {
    it('runs without the role and says what to run, and has the role once an administrator has run that', async () => {
      const plain = await createPlainDatabase(server);
      const roleOf = async () => {
        const database = await Database.open({ url: plain.url, migrationsDir: MIGRATIONS });
        const { roleProblem, roleSql } = database.worker;
        const [row] = await database.worker.client.$queryRaw<{ is: string }[]>`SELECT current_user::text AS "is"`;
        await database.close();
        return { roleProblem, roleSql, is: row?.is };
      };
      const role = plain.login.replace('_login', '_worker');
      const without = { is: plain.login };
      const missing = await roleOf();
      expect(missing).toMatchObject({ ...without, roleProblem: `role "${role}" does not exist` });
      const [create = '', grant = ''] = missing.roleSql;
      await plain.as(create);
      expect(await roleOf()).toMatchObject({
        ...without,
        roleProblem: expect.stringContaining('permission denied'),
        roleSql: [grant],
      });
      await plain.as(grant);
      expect(await roleOf()).toEqual({ roleProblem: undefined, roleSql: [], is: role });
      await plain.as(`ALTER ROLE ${role} BYPASSRLS`);
      const bypassing = await roleOf();
      expect(bypassing).toMatchObject({ ...without, roleProblem: 'the role bypasses row-level security' });
      for (const statement of bypassing.roleSql) await plain.as(statement);
      expect(await roleOf()).toEqual({ roleProblem: undefined, roleSql: [], is: role });
      await plain.drop();
    });
  });
}

async function roleName({ database }: TestApplication): Promise<string> {
  const [row] = await database.client.$queryRaw<{ role: string }[]>`SELECT worker_role()::text AS "role"`;
  return row?.role ?? '';
}
