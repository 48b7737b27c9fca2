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
-- A new lesson is unproven, unless it copies the words of a verified one: only a corroboration or a person verifies,
-- pins, or counts uses.
CREATE POLICY memory_new_is_private ON "memory" FOR INSERT WITH CHECK (
  "scope" = 'agent'
  AND ("provenance" <> 'verified' OR EXISTS (
    SELECT 1 FROM "memory" s WHERE s."id" = "memory"."propagated_from_id" AND s."provenance" = 'verified'
       AND s."superseded_at" IS NULL AND (s."discovery", s."condition", s."action", s."rationale", s."steps", coalesce(s."parts", '{}'))
         = ("memory"."discovery", "memory"."condition", "memory"."action", "memory"."rationale", "memory"."steps",
            coalesce("memory"."parts", '{}'))))
  AND "pinned_at" IS NULL AND "proposal_id" IS NULL
  AND "skill_name" IS NULL AND "version" IS NULL AND "application_count" = 0 AND "relevance_count" = 0
  AND "last_applied_at" IS NULL AND "last_retrieved_at" IS NULL);
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

-- Nothing that determines how many people decide, or who, is lowered by background work. It may submit whatever it
-- found, but the people who are excluded and the groups that are concerned follow from the evidence that reviewers see.
CREATE FUNCTION proposal_worker_lowers_nothing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong text;
  seen jsonb := CASE WHEN jsonb_typeof(NEW."evidence" -> 'seenBy') = 'array' THEN NEW."evidence" -> 'seenBy' ELSE '[]' END;
  sole_owner text;
BEGIN
  IF TG_OP = 'INSERT' THEN
    wrong := CASE
      WHEN NEW."edit" IS NOT NULL OR NEW."kind" = 'amend' THEN 'submits no edit of a person'
      WHEN NEW."reopened_from_id" IS NOT NULL THEN 'reopens no proposal'
      WHEN NEW."revision" <> 1 OR NEW."decided_at" IS NOT NULL THEN 'submits first revisions without a decision'
      WHEN NEW."urgent" <> (NEW."request" IS NOT NULL) THEN 'marks only its requests as urgent' END;
  ELSE
    wrong := CASE
      WHEN NEW."votes_needed" < OLD."votes_needed" OR NEW."risk" < OLD."risk" THEN 'lowers neither votes nor risk'
      WHEN EXISTS (
        SELECT 1 FROM jsonb_array_elements(CASE WHEN jsonb_typeof(OLD."findings" -> 'suspicions') = 'array'
                                                THEN OLD."findings" -> 'suspicions' ELSE '[]' END) known
         WHERE NOT jsonb_build_array(jsonb_build_object('kind', known -> 'kind')) <@ COALESCE(NEW."findings" -> 'suspicions', '[]'))
        THEN 'removes no finding'
      WHEN NEW."kind" <> OLD."kind" AND (OLD."edit" IS NOT NULL OR NEW."kind" IN ('amend', 'retire') OR OLD."kind" = 'retire')
        THEN 'turns no proposal into an amendment or a retirement'
      WHEN NEW."revision" NOT IN (OLD."revision", OLD."revision" + 1) THEN 'skips no revision' END;
  END IF;
  IF wrong IS NULL AND (TG_OP = 'INSERT' OR NEW."revision" <> OLD."revision") THEN
    IF NEW."kind" = 'retire' THEN
      -- A retirement concerns the groups of the skill that it names.
      IF NOT EXISTS (SELECT 1 FROM "memory" m JOIN "proposal" p ON p."id" = m."proposal_id"
                      WHERE m."id" = NEW."supersedes_id" AND m."scope" = 'org'
                        AND p."artifact_sha256" = NEW."artifact_sha256" AND p."audience" = NEW."audience") THEN
        wrong := 'asks to retire a live skill as it was approved';
      END IF;
    ELSE
      SELECT CASE WHEN NEW."evidence" ->> 'owners' = '1' AND count(*) = count(s ->> 'owner')
                   AND count(DISTINCT s ->> 'owner') = 1 THEN min(s ->> 'owner') END
        INTO sole_owner FROM jsonb_array_elements(seen) s;
      wrong := CASE
        WHEN NEW."audience" <> '[]' AND (jsonb_array_length(seen) NOT BETWEEN 1 AND 49 OR EXISTS (
            SELECT 1 FROM jsonb_array_elements(seen) s
              LEFT JOIN "principal" p ON p."kind" = 'agent' AND p."name" = s ->> 'agent'
             WHERE NOT jsonb_build_array(jsonb_build_object('department', p."department", 'role', p."role")) <@ NEW."audience"))
          THEN 'names every group that its evidence concerns'
        WHEN sole_owner IS NOT NULL AND NEW."source_owner_id" IS NULL AND EXISTS (
            SELECT 1 FROM "principal" p WHERE p."kind" = 'person' AND lower(sole_owner) IN (lower(p."name"), lower(p."email"))
               AND EXISTS (SELECT 1 FROM "principal" o WHERE o."kind" = 'person' AND o."is_reviewer"
                             AND o."disabled_at" IS NULL AND o."id" <> p."id"))
          THEN 'names the owner of all agents in its evidence' END;
    END IF;
  END IF;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'gate: background work %', wrong USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER proposal_worker_lowers_nothing BEFORE INSERT OR UPDATE ON "proposal"
  FOR EACH ROW WHEN (current_user = worker_role()) EXECUTE FUNCTION proposal_worker_lowers_nothing();

-- It journals as a job, under the job's own name or as requested by a caller: only the server itself writes entries of a
-- person, an administrator or an agent.
ALTER TABLE "journal_entry" ENABLE ROW LEVEL SECURITY;
CREATE POLICY journal_entry_is_read ON "journal_entry" FOR SELECT USING (true);
CREATE POLICY journal_entry_is_a_jobs ON "journal_entry" FOR INSERT WITH CHECK (
  "actor_kind" = 'job' AND ("actor_id" = 'job:' || "actor_name" OR "actor_name" LIKE 'requested by %'));

-- An entry with a wrong hash would make the whole journal look manipulated. The server computes the hash with the same
-- rule (entryHash); only entries of background work are checked here.
CREATE FUNCTION journal_entry_worker_hashes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."hash" = encode(sha256(convert_to(format(
      '{"action":%s,"actorId":%s,"actorKind":%s,"actorName":%s,"at":"%s","data":%s,"previousHash":%s,"seq":%s,"subjectId":%s,"subjectType":%s}',
      to_json(NEW."action"), to_json(NEW."actor_id"), to_json(NEW."actor_kind"), to_json(NEW."actor_name"),
      to_char(NEW."at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), to_json(NEW."data"),
      to_json(NEW."previous_hash"), NEW."seq", to_json(NEW."subject_id"), to_json(NEW."subject_type")), 'UTF8')), 'hex') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'gate: the hash is not of this journal entry' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER journal_entry_worker_hashes BEFORE INSERT ON "journal_entry"
  FOR EACH ROW WHEN (current_user = worker_role()) EXECUTE FUNCTION journal_entry_worker_hashes();

-- Of the leases, it takes those of its own jobs: it cannot stop the work of the server, nor run beside it.
ALTER TABLE "lease" ENABLE ROW LEVEL SECURITY;
CREATE POLICY lease_is_read ON "lease" FOR SELECT USING (true);
CREATE POLICY lease_is_a_jobs ON "lease" USING (
  "name" IN ('evolver-cycle', 'skill-watch', 'memory-upkeep', 'proposer-batch'));

-- A webhook is signed, whichever login wrote its row. Background work announces only its own actions (submitted and
-- withdrawn proposals) and cannot announce a decision. The receiver reads the body, so the body is checked.
ALTER TABLE "webhook_delivery" ENABLE ROW LEVEL SECURITY;
CREATE POLICY webhook_delivery_is_no_decision ON "webhook_delivery" FOR INSERT WITH CHECK (
  "event" IN ('proposal.submitted', 'proposal.withdrawn') AND "body"::jsonb ->> 'type' = "event"
  AND "state" = 'pending' AND "attempts" = 0);

-- A table of a session comes before every other of its name (pg_temp). The triggers must not read one that background
-- work created, so that they search the schema of these tables first.
DO $$
DECLARE
  trigger_function regprocedure;
BEGIN
  FOR trigger_function IN
    SELECT "oid"::regprocedure FROM pg_proc
     WHERE "pronamespace" = current_schema()::regnamespace AND "prorettype" = 'trigger'::regtype
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', trigger_function, current_schema());
  END LOOP;
END $$;

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
      OR has_table_privilege('proposal', 'UPDATE, DELETE') OR has_any_column_privilege('journal_checkpoint', 'INSERT, UPDATE')
      OR has_table_privilege('journal_head', 'INSERT, UPDATE, DELETE')
      OR has_any_column_privilege('credential', 'SELECT, INSERT, UPDATE') THEN 'the role has more privileges than it should'
    WHEN NOT has_table_privilege('journal_entry', 'INSERT') THEN 'the role lacks its privileges'
  END
$$;
