-- Which memories changed, so that every process keeps its search index in step; and who was told what in which session.
CREATE TABLE "memory_change" (
    "transaction" BIGINT NOT NULL,
    "memory_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memory_change_pkey" PRIMARY KEY ("transaction", "memory_id")
);
CREATE INDEX "memory_change_at_idx" ON "memory_change"("at");

CREATE TABLE "memory_retrieval" (
    "memory_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "session_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "memory_retrieval_pkey" PRIMARY KEY ("memory_id", "agent_id", "session_id")
);

-- By the id of the transaction: numbers given out while it runs would become visible out of order, and one that
-- commits late would be missed. A reader goes on from the oldest transaction that was still running.
CREATE FUNCTION memory_change_is_noted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "memory_change" ("transaction", "memory_id")
    VALUES (pg_current_xact_id()::text::bigint, CASE TG_OP WHEN 'DELETE' THEN OLD."id" ELSE NEW."id" END)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_comes_or_goes AFTER INSERT OR DELETE ON "memory"
  FOR EACH ROW EXECUTE FUNCTION memory_change_is_noted();
-- Counting a use changes nothing that is searched.
CREATE TRIGGER memory_changes AFTER UPDATE ON "memory" FOR EACH ROW
  WHEN ((to_jsonb(NEW) - '{application_count,last_applied_at,relevance_count,last_retrieved_at}'::text[])
    IS DISTINCT FROM (to_jsonb(OLD) - '{application_count,last_applied_at,relevance_count,last_retrieved_at}'::text[]))
  EXECUTE FUNCTION memory_change_is_noted();

-- Whoever learns notes that it did.
COMMENT ON TABLE "memory_change" IS 'worker: INSERT';
