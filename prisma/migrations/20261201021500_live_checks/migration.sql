-- What later cycles found about a live skill. The proposal keeps what was known at its approval, with its bytes. The evolver
-- writes it: it changes what a skill says about its evidence, and to whose agents it goes, never what the skill says.
CREATE TABLE "live_check" (
    "memory_id" UUID NOT NULL,
    -- The check that counts since; NULL while that of the approval does.
    "check" JSONB,
    -- Those for whom it worked, the most that one cycle counted.
    "agents" INTEGER NOT NULL,
    "owners" INTEGER NOT NULL,
    "projects" INTEGER NOT NULL,
    "tasks" INTEGER NOT NULL,
    "cycle_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "live_check_pkey" PRIMARY KEY ("memory_id")
);
COMMENT ON TABLE "live_check" IS 'worker: SELECT, INSERT, UPDATE';

-- What reads a skill from memory reads it again.
CREATE FUNCTION note_live_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "memory_change" ("transaction", "memory_id")
    VALUES (pg_current_xact_id()::text::bigint, NEW."memory_id") ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER live_check_written AFTER INSERT OR UPDATE ON "live_check"
  FOR EACH ROW EXECUTE FUNCTION note_live_check();

DO $$
BEGIN
  -- A table of a session must not hide the table that it writes (see roles).
  EXECUTE format('ALTER FUNCTION note_live_check() SET search_path = %I, pg_temp', current_schema());
END $$;
