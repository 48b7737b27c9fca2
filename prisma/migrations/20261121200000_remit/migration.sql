-- Who may decide what: a reviewer's remit, and the audience of an item. No remit: the whole organisation.
ALTER TABLE "principal" ADD COLUMN "remit" JSONB;
ALTER TABLE "principal" ADD CONSTRAINT "principal_remit_is_a_persons"
  CHECK ("remit" IS NULL OR ("kind" = 'PERSON' AND jsonb_typeof("remit") = 'array'));

-- What was submitted before is for everybody.
ALTER TABLE "approval_item" ADD COLUMN "audience" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "approval_item" ALTER COLUMN "audience" DROP DEFAULT;
ALTER TABLE "approval_item" ADD CONSTRAINT "approval_item_audience_is_a_list" CHECK (jsonb_typeof("audience") = 'array');

-- Every place of the audience lies in a part of the remit; an audience without a place is everybody.
CREATE FUNCTION remit_covers(remit jsonb, audience jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT remit IS NULL OR (jsonb_array_length(audience) > 0 AND NOT EXISTS (
    SELECT 1 FROM jsonb_array_elements(audience) place WHERE NOT EXISTS (
      SELECT 1 FROM jsonb_array_elements(remit) part
       WHERE (part ->> 'department' IS NOT NULL OR part ->> 'role' IS NOT NULL)
         AND (part ->> 'department' IS NULL OR part ->> 'department' = place ->> 'department')
         AND (part ->> 'role' IS NULL OR part ->> 'role' = place ->> 'role'))))
$$;

CREATE OR REPLACE FUNCTION approval_decision_is_human() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  their_remit jsonb;
BEGIN
  SELECT "remit" INTO their_remit FROM "principal" WHERE "id" = NEW."principal_id"
     AND "kind" = 'PERSON' AND "is_reviewer" AND "disabled_at" IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'gate: only an active person with the reviewer role decides' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM "approval_item" WHERE "id" = NEW."item_id"
                 AND "revision" = NEW."revision" AND "artifact_sha256" = NEW."artifact_sha256"
                 AND "state" = 'PENDING' AND "expires_at" > NEW."decided_at") THEN
    RAISE EXCEPTION 'gate: a decision names the bytes of a pending item''s current revision' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM "approval_item" WHERE "id" = NEW."item_id" AND remit_covers(their_remit, "audience")) THEN
    RAISE EXCEPTION 'gate: the item lies outside this reviewer''s remit' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

-- As before (the votes' migration), and a vote counts while the item lies within its person's remit.
CREATE OR REPLACE FUNCTION approval_item_moves_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- Named is what may change, so that a column of tomorrow is voted on until somebody says otherwise.
  life CONSTANT text[] := ARRAY['state', 'updated_at', 'decided_at', 'expires_at'];
  given int;
  by_others boolean;
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
  IF NEW."revision" <= OLD."revision" AND (to_jsonb(NEW) - life) IS DISTINCT FROM (to_jsonb(OLD) - life) THEN
    RAISE EXCEPTION 'gate: what people vote on changes only as a new revision' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."state" = 'REJECTED' AND NOT EXISTS (
    SELECT 1 FROM "approval_decision" d WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision"
      AND d."artifact_sha256" = NEW."artifact_sha256" AND d."verdict" = 'REJECTED') THEN
    RAISE EXCEPTION 'gate: approval item % has no such decision by a person', NEW."id" USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."state" = 'APPROVED' THEN
    -- A vote counts while its person is an active reviewer of such items, and once, however often it was cast.
    SELECT count(DISTINCT p."id"), COALESCE(bool_or(p."id" IS DISTINCT FROM NEW."editor_id"), false)
      INTO given, by_others
      FROM "approval_decision" d JOIN "principal" p ON p."id" = d."principal_id"
     WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision" AND d."artifact_sha256" = NEW."artifact_sha256"
       AND d."verdict" = 'APPROVED' AND p."kind" = 'PERSON' AND p."is_reviewer" AND p."disabled_at" IS NULL
       AND remit_covers(p."remit", NEW."audience");
    IF given = 0 THEN
      RAISE EXCEPTION 'gate: approval item % has no such decision by a person', NEW."id" USING ERRCODE = 'check_violation';
    END IF;
    IF given < NEW."votes_needed" THEN
      RAISE EXCEPTION 'gate: approval item % has % of % votes', NEW."id", given, NEW."votes_needed"
        USING ERRCODE = 'check_violation';
    END IF;
    IF NOT by_others THEN
      RAISE EXCEPTION 'gate: whoever edited approval item % is not its only approver', NEW."id"
        USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NEW;
END $$;
