-- The evolver and the proposer work under a role of their own, which can neither decide nor write org memory.

-- Roles belong to the whole server, so this one is named after the database: "guildbook" has "guildbook_worker".
CREATE FUNCTION worker_role() RETURNS name LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN octet_length(current_database()) <= 56 THEN current_database() || '_worker'
              ELSE 'worker_' || md5(current_database()) END::name
$$;

-- What the role may do with a table stands in the table's comment, in the words of GRANT. No comment: nothing.
COMMENT ON TABLE "lease" IS 'worker: SELECT, INSERT, UPDATE, DELETE';
COMMENT ON TABLE "principal" IS 'worker: SELECT';
COMMENT ON TABLE "execution" IS 'worker: SELECT';
COMMENT ON TABLE "analysis_payload" IS 'worker: SELECT, UPDATE';
COMMENT ON TABLE "memory" IS 'worker: SELECT, INSERT, UPDATE ("superseded_by_id", "superseded_at")';
COMMENT ON TABLE "evolver_cycle" IS 'worker: SELECT, INSERT, UPDATE';
COMMENT ON TABLE "approval_item" IS 'worker: SELECT, INSERT, UPDATE';
COMMENT ON TABLE "approval_decision" IS 'worker: SELECT';
COMMENT ON TABLE "journal_entry" IS 'worker: SELECT, INSERT';
COMMENT ON TABLE "journal_head" IS 'worker: SELECT, UPDATE';

-- Row by row, for whoever does not own the tables. Nothing of it hides a row, so that a forbidden write is an error.
ALTER TABLE "memory" ENABLE ROW LEVEL SECURITY;
CREATE POLICY memory_is_read ON "memory" FOR SELECT USING (true);
CREATE POLICY memory_new_is_private ON "memory" FOR INSERT WITH CHECK ("scope" = 'AGENT');
CREATE POLICY memory_changed_is_private ON "memory" FOR UPDATE USING (true) WITH CHECK ("scope" = 'AGENT');
ALTER TABLE "approval_item" ENABLE ROW LEVEL SECURITY;
CREATE POLICY approval_item_is_read ON "approval_item" FOR SELECT USING (true);
CREATE POLICY approval_item_is_submitted ON "approval_item" FOR INSERT WITH CHECK ("state" = 'PENDING');
CREATE POLICY approval_item_is_undecided ON "approval_item" FOR UPDATE USING (true)
  WITH CHECK ("state" IN ('PENDING', 'WITHDRAWN'));
ALTER TABLE "journal_entry" ENABLE ROW LEVEL SECURITY;
CREATE POLICY journal_entry_is_read ON "journal_entry" FOR SELECT USING (true);
CREATE POLICY journal_entry_is_no_reviewers ON "journal_entry" FOR INSERT WITH CHECK ("actor_kind" <> 'reviewer');

-- Creates the role where we may, and gives it what the comments say. The server runs it at each start, after the
-- migrations: a role that somebody else created later, and a table of a later version, get their grants as well.
CREATE FUNCTION worker_role_install() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  worker CONSTANT name := worker_role();
  given record;
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
  FOR given IN
    SELECT c.oid::regclass AS relation, substring(obj_description(c.oid, 'pg_class') FROM '^worker: (.+)$') AS privileges
      FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %I', given.relation, worker);
    IF given.privileges IS NOT NULL THEN
      EXECUTE format('GRANT %s ON %s TO %I', given.privileges, given.relation, worker);
    END IF;
  END LOOP;
END $$;

-- Asked under the role: why it does not hold, or NULL. An older role of that name may be more than we think.
CREATE FUNCTION worker_role_problem() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN current_user <> worker_role() THEN 'the connection has not taken the role ' || worker_role()
    WHEN NOT (row_security_active('memory') AND row_security_active('approval_item')
              AND row_security_active('journal_entry')) THEN 'the role stands above row-level security'
    WHEN has_table_privilege('approval_decision', 'INSERT, UPDATE, DELETE')
      OR has_table_privilege('publication', 'INSERT, UPDATE, DELETE')
      OR has_any_column_privilege('principal', 'INSERT, UPDATE')
      OR has_any_column_privilege('credential', 'SELECT, INSERT, UPDATE') THEN 'the role may do more than it is given'
    WHEN NOT has_table_privilege('journal_entry', 'INSERT') THEN 'the role has not got its grants'
  END
$$;
