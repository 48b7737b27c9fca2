-- The gate, as the database alone enforces it (whatever the application does).

-- Credentials: only a person's short-lived token may carry the right to decide.
ALTER TABLE "credential" ADD CONSTRAINT "credential_decide_is_short_lived" CHECK (
  NOT ('decide' = ANY ("scopes"))
  OR ("kind" = 'PERSONAL' AND "expires_at" IS NOT NULL AND "expires_at" <= "created_at" + interval '1 hour')
);

CREATE FUNCTION credential_belongs_to_kind() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE owner_kind "PrincipalKind";
BEGIN
  SELECT "kind" INTO owner_kind FROM "principal" WHERE "id" = NEW."principal_id";
  IF NEW."kind" <> 'TOKEN' AND owner_kind <> 'PERSON' THEN
    RAISE EXCEPTION 'gate: a % credential belongs to a person', NEW."kind" USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."kind" = 'TOKEN' AND owner_kind = 'PERSON' THEN
    RAISE EXCEPTION 'gate: a person has no long-lived token' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER credential_belongs_to_kind BEFORE INSERT OR UPDATE ON "credential"
  FOR EACH ROW EXECUTE FUNCTION credential_belongs_to_kind();

-- A principal's kind never changes: an agent cannot become a person.
CREATE FUNCTION principal_kind_is_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."kind" <> OLD."kind" OR NEW."id" <> OLD."id" THEN
    RAISE EXCEPTION 'gate: the kind of a principal never changes' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER principal_kind_is_fixed BEFORE UPDATE ON "principal"
  FOR EACH ROW EXECUTE FUNCTION principal_kind_is_fixed();
ALTER TABLE "principal" ADD CONSTRAINT "principal_only_people_decide"
  CHECK ("kind" = 'PERSON' OR NOT ("is_reviewer" OR "is_admin"));

-- The hash of an item is the hash of its bytes, computed here.
ALTER TABLE "approval_item" ADD CONSTRAINT "approval_item_hash_is_of_artifact"
  CHECK ("artifact_sha256" = encode(sha256(convert_to("artifact", 'UTF8')), 'hex'));
ALTER TABLE "publication" ADD CONSTRAINT "publication_hash_is_of_artifact"
  CHECK ("artifact_sha256" = encode(sha256(convert_to("artifact", 'UTF8')), 'hex'));

-- A decision is a reviewer's, on the bytes that the item holds now; it is never changed or removed.
CREATE FUNCTION approval_decision_is_human() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM "principal" WHERE "id" = NEW."principal_id"
                 AND "kind" = 'PERSON' AND "is_reviewer" AND "disabled_at" IS NULL) THEN
    RAISE EXCEPTION 'gate: only an active person with the reviewer role decides' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM "approval_item" WHERE "id" = NEW."item_id"
                 AND "revision" = NEW."revision" AND "artifact_sha256" = NEW."artifact_sha256"
                 AND "state" = 'PENDING' AND "expires_at" > NEW."decided_at") THEN
    RAISE EXCEPTION 'gate: a decision names the bytes of a pending item''s current revision' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approval_decision_is_human BEFORE INSERT ON "approval_decision"
  FOR EACH ROW EXECUTE FUNCTION approval_decision_is_human();

-- An item becomes approved or rejected only with such a decision; a decided item is frozen.
CREATE FUNCTION approval_item_moves_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW."state" <> 'PENDING' THEN
      RAISE EXCEPTION 'gate: an approval item starts pending' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END IF;
  IF OLD."state" <> 'PENDING' THEN
    RAISE EXCEPTION 'gate: approval item % is decided and cannot change', OLD."id" USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."state" IN ('APPROVED', 'REJECTED') AND NOT EXISTS (
    SELECT 1 FROM "approval_decision" d WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision"
      AND d."artifact_sha256" = NEW."artifact_sha256" AND d."verdict"::text = NEW."state"::text) THEN
    RAISE EXCEPTION 'gate: approval item % has no such decision by a person', NEW."id" USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approval_item_moves_by_decision BEFORE INSERT OR UPDATE ON "approval_item"
  FOR EACH ROW EXECUTE FUNCTION approval_item_moves_by_decision();

-- Org memory: only with an approved item whose bytes a person approved, and only as a new skill or successor.
ALTER TABLE "memory" ADD CONSTRAINT "memory_org_needs_approval"
  CHECK ("scope" <> 'ORG' OR ("approval_id" IS NOT NULL AND "skill_name" IS NOT NULL AND "version" IS NOT NULL));
ALTER TABLE "memory" ADD CONSTRAINT "memory_agent_scope_has_agent"
  CHECK ("scope" <> 'AGENT' OR "agent_id" IS NOT NULL);
CREATE FUNCTION memory_org_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE life CONSTANT text[] := ARRAY['superseded_by_id', 'superseded_at', 'application_count', 'last_applied_at',
                                      'relevance_count', 'last_retrieved_at'];
BEGIN
  -- Named is what may change, so that a column of tomorrow is frozen until somebody says otherwise.
  IF TG_OP = 'UPDATE' AND OLD."scope" = 'ORG' AND (
       (to_jsonb(NEW) - life) IS DISTINCT FROM (to_jsonb(OLD) - life)
       OR (OLD."superseded_at" IS NOT NULL AND NEW."superseded_at" IS NULL)) THEN
    RAISE EXCEPTION 'gate: an approved skill never changes in place' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."scope" = 'ORG' AND NOT EXISTS (
    SELECT 1 FROM "approval_item" i JOIN "approval_decision" d ON d."item_id" = i."id"
      JOIN "principal" p ON p."id" = d."principal_id"
     WHERE i."id" = NEW."approval_id" AND i."state" = 'APPROVED' AND i."artifact_sha256" = NEW."content_sha256"
       AND d."verdict" = 'APPROVED' AND d."artifact_sha256" = NEW."content_sha256" AND p."kind" = 'PERSON'
       -- What agents will be told is what the approved item says, under the name that it was approved for.
       AND i."skill_name" = NEW."skill_name" AND i."version" = NEW."version"
       AND i."proposal" @> jsonb_build_object('discovery', NEW."discovery", 'condition', NEW."condition",
             'action', NEW."action", 'rationale', NEW."rationale")
       AND i."proposal" -> 'steps' = NEW."steps" AND i."proposal" -> 'tags' = to_jsonb(NEW."tags")) THEN
    RAISE EXCEPTION 'gate: org memory needs a person''s approval of exactly these bytes' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_org_is_approved BEFORE INSERT OR UPDATE ON "memory"
  FOR EACH ROW EXECUTE FUNCTION memory_org_is_approved();

-- The outbox: the same rule; what is to be published never changes.
CREATE FUNCTION publication_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE life CONSTANT text[] := ARRAY['state', 'attempts', 'last_error', 'commit', 'published_at'];
BEGIN
  IF TG_OP = 'UPDATE' AND (to_jsonb(NEW) - life) IS DISTINCT FROM (to_jsonb(OLD) - life) THEN
    RAISE EXCEPTION 'gate: a publication never changes its bytes' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT EXISTS (
    SELECT 1 FROM "approval_item" i JOIN "approval_decision" d ON d."item_id" = i."id"
      JOIN "principal" p ON p."id" = d."principal_id"
     WHERE i."id" = NEW."approval_id" AND i."state" = 'APPROVED' AND i."artifact_sha256" = NEW."artifact_sha256"
       AND i."skill_name" = NEW."skill_name" AND i."version" = NEW."version"
       AND d."verdict" = 'APPROVED' AND d."artifact_sha256" = NEW."artifact_sha256"
       -- The author of the commit is who approved; a person renamed later does not hold the publisher up.
       AND (TG_OP = 'UPDATE' OR (p."name" = NEW."author_name" AND p."email" = NEW."author_email"))) THEN
    RAISE EXCEPTION 'gate: only approved bytes are published' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER publication_is_approved BEFORE INSERT OR UPDATE ON "publication"
  FOR EACH ROW EXECUTE FUNCTION publication_is_approved();

-- One live org entry per skill name.
CREATE UNIQUE INDEX "memory_one_live_skill" ON "memory" ("skill_name") WHERE "scope" = 'ORG' AND "superseded_at" IS NULL;
-- One approval admits one entry: it cannot be used again under another name.
CREATE UNIQUE INDEX "memory_one_entry_per_approval" ON "memory" ("approval_id") WHERE "scope" = 'ORG';
-- One pending item per pattern: a second cycle refreshes it, and cannot duplicate it.
CREATE UNIQUE INDEX "approval_item_one_pending" ON "approval_item" ("fingerprint") WHERE "state" = 'PENDING';

-- Append-only rows.
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: % is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER journal_entry_append_only BEFORE UPDATE OR DELETE ON "journal_entry" FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_entry_no_truncate BEFORE TRUNCATE ON "journal_entry" FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER approval_decision_append_only BEFORE UPDATE OR DELETE ON "approval_decision" FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER approval_decision_no_truncate BEFORE TRUNCATE ON "approval_decision" FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER approval_item_no_delete BEFORE DELETE ON "approval_item" FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER approval_item_no_truncate BEFORE TRUNCATE ON "approval_item" FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER publication_no_delete BEFORE DELETE ON "publication" FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER publication_no_truncate BEFORE TRUNCATE ON "publication" FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- The chain starts here: a single row that every append locks.
INSERT INTO "journal_head" ("id", "seq", "hash") VALUES (1, 0, repeat('0', 64));

-- Org memory is superseded or retracted, never deleted.
CREATE FUNCTION memory_org_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."scope" = 'ORG' THEN
    RAISE EXCEPTION 'gate: org memory is superseded, never deleted' USING ERRCODE = 'check_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER memory_org_is_kept BEFORE DELETE ON "memory" FOR EACH ROW EXECUTE FUNCTION memory_org_is_kept();
CREATE TRIGGER memory_no_truncate BEFORE TRUNCATE ON "memory" FOR EACH STATEMENT EXECUTE FUNCTION append_only();
