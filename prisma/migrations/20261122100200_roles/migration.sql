-- The proposer and the evolver run under a separate role, which can neither decide nor write org memory. The embedded
-- database has one user, and only the types of the program separate them there.

-- Roles are global to a server, so this one is named after the database: "guildbook" has "guildbook_worker".
CREATE FUNCTION worker_role() RETURNS name LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN octet_length(current_database()) <= 56 THEN current_database() || '_worker'
              ELSE 'worker_' || md5(current_database()) END::name
$$;

-- Rows. ----------------------------------------------------------------------------------------------------------
-- PostgreSQL applies these policies only to logins that do not own the tables, so that decisions of the server cost
-- nothing extra. No policy hides a row, so that a forbidden write is an error and not a write of nothing.

-- Background work writes private lessons only.
ALTER TABLE "memory" ENABLE ROW LEVEL SECURITY;
CREATE POLICY memory_is_read ON "memory" FOR SELECT USING (true);
CREATE POLICY memory_new_is_private ON "memory" FOR INSERT WITH CHECK ("scope" = 'agent');
CREATE POLICY memory_changed_is_private ON "memory" FOR UPDATE USING (true) WITH CHECK ("scope" = 'agent');

-- It submits, refreshes and withdraws proposals, and decides none.
ALTER TABLE "proposal" ENABLE ROW LEVEL SECURITY;
CREATE POLICY proposal_is_read ON "proposal" FOR SELECT USING (true);
CREATE POLICY proposal_is_submitted ON "proposal" FOR INSERT WITH CHECK ("state" = 'pending');
CREATE POLICY proposal_is_undecided ON "proposal" FOR UPDATE USING (true)
  WITH CHECK ("state" IN ('pending', 'withdrawn'));

-- It names no person as the author of a revision. Otherwise it could free the author from the four-eyes rule, or bind a
-- person who never saw the proposal.
CREATE FUNCTION proposal_worker_names_no_editor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW."editor_id" IS NULL AND cardinality(COALESCE(NEW."earlier_editor_ids", '{}')) = 0 THEN
      RETURN NEW;
    END IF;
  ELSIF NEW."editor_id" IS NOT DISTINCT FROM OLD."editor_id"
    AND NEW."earlier_editor_ids" IS NOT DISTINCT FROM OLD."earlier_editor_ids" THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'gate: background work writes in no person''s name' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER proposal_worker_names_no_editor BEFORE INSERT OR UPDATE OF "editor_id", "earlier_editor_ids" ON "proposal"
  FOR EACH ROW WHEN (current_user = worker_role()) EXECUTE FUNCTION proposal_worker_names_no_editor();

-- It journals as a job: only the server itself writes entries of a person, an administrator or an agent.
ALTER TABLE "journal_entry" ENABLE ROW LEVEL SECURITY;
CREATE POLICY journal_entry_is_read ON "journal_entry" FOR SELECT USING (true);
CREATE POLICY journal_entry_is_a_jobs ON "journal_entry" FOR INSERT WITH CHECK ("actor_kind" = 'job');

-- A webhook is signed, whichever login wrote its row. Background work announces only its own actions (submitted and
-- withdrawn proposals) and cannot announce a decision. The receiver reads the body, so the body is checked.
ALTER TABLE "webhook_delivery" ENABLE ROW LEVEL SECURITY;
CREATE POLICY webhook_delivery_is_no_decision ON "webhook_delivery" FOR INSERT WITH CHECK (
  "event" IN ('proposal.submitted', 'proposal.withdrawn') AND "body"::jsonb ->> 'type' = "event"
  AND "state" = 'pending' AND "attempts" = 0);

-- The role and its grants. ---------------------------------------------------------------------------------------

-- Creates the role if the login may, and grants it the privileges in the tables' comments. The server runs this at each
-- start, after the migrations: a role that an administrator created later gets its grants, as does a table of a later
-- version.
CREATE FUNCTION worker_role_install() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  worker CONSTANT name := worker_role();
  grant_row record;
BEGIN
  BEGIN
    EXECUTE format('CREATE ROLE %I NOLOGIN', worker);
  EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
  END;
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = worker) THEN RETURN; END IF;
  BEGIN
    EXECUTE format('GRANT %I TO CURRENT_USER', worker);
  EXCEPTION WHEN insufficient_privilege THEN NULL;
  END;
  IF NOT has_schema_privilege(worker, current_schema(), 'USAGE') THEN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), worker);
  END IF;
  FOR grant_row IN
    SELECT c.oid::regclass AS relation, substring(obj_description(c.oid, 'pg_class') FROM '^worker: (.+)$') AS privileges
      FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %I', grant_row.relation, worker);
    IF grant_row.privileges IS NOT NULL THEN
      EXECUTE format('GRANT %s ON %s TO %I', grant_row.privileges, grant_row.relation, worker);
    END IF;
  END LOOP;
END $$;

-- Called under the role: returns why the role is not in force, or NULL. An existing role of that name may have too many
-- privileges.
CREATE FUNCTION worker_role_problem() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN current_user <> worker_role() THEN 'the connection does not use the role ' || worker_role()
    WHEN NOT (row_security_active('memory') AND row_security_active('proposal')
              AND row_security_active('journal_entry')) THEN 'the role bypasses row-level security'
    WHEN has_table_privilege('proposal_decision', 'INSERT, UPDATE, DELETE')
      OR has_table_privilege('publication', 'INSERT, UPDATE, DELETE')
      OR has_any_column_privilege('principal', 'INSERT, UPDATE')
      OR has_any_column_privilege('credential', 'SELECT, INSERT, UPDATE') THEN 'the role has more privileges than it should'
    WHEN NOT has_table_privilege('journal_entry', 'INSERT') THEN 'the role lacks its privileges'
  END
$$;
