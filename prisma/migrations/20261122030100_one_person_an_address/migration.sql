-- Votes count people, and a person is told by the address that they sign in with: a second principal with it would give
-- one person two votes. People who share one from before stay as they are.
CREATE FUNCTION principal_has_own_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Of two registrations at once, the second one sees the first.
  PERFORM pg_advisory_xact_lock(hashtextextended('principal_has_own_address', 0));
  IF EXISTS (SELECT 1 FROM "principal" WHERE "kind" = 'PERSON' AND "disabled_at" IS NULL AND "id" <> NEW."id"
               AND lower("email") = lower(NEW."email")) THEN
    RAISE EXCEPTION 'gate: another person has this address' USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER principal_has_own_address BEFORE INSERT OR UPDATE OF "email", "disabled_at" ON "principal"
  FOR EACH ROW WHEN (NEW."kind" = 'PERSON' AND NEW."disabled_at" IS NULL AND NEW."email" IS NOT NULL)
  EXECUTE FUNCTION principal_has_own_address();
